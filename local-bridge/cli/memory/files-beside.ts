import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import type { ChainEntry } from '../../../src/core/chain.ts';

/** Compares the files of an export with the log beside them, while another reader goes through that log. */
export class FilesBeside {
  readonly #hashes = new Map<string, { readonly hash: Hash; lines: number }>();

  async *watch(entries: AsyncIterable<ChainEntry>): AsyncGenerator<ChainEntry> {
    for await (const entry of entries) {
      const file = this.#hashes.get(entry.file) ?? { hash: createHash('sha256'), lines: 0 };
      this.#hashes.set(entry.file, file);
      file.hash.update(`${entry.body}\n`);
      file.lines += 1;
      yield entry;
    }
  }

  /** Says what is wrong with the files, once the log was read to its end. A missing file is no problem. */
  async problems(folder: string): Promise<string[]> {
    const problems: string[] = [];
    for (const name of MEMORY_FILES) {
      const path = join(folder, name);
      if (!existsSync(path)) continue;
      const expected = this.#hashes.get(name)?.hash.digest('hex') ?? createHash('sha256').digest('hex');
      const found = createHash('sha256');
      for await (const chunk of createReadStream(path)) found.update(chunk);
      if (found.digest('hex') !== expected) problems.push(`${name} does not match the log.`);
    }
    return problems;
  }
}
