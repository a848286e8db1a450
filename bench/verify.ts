import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { entriesIn, exportedLine } from '../local-bridge/cli/memory/export.ts';
import { verifyMemory } from '../local-bridge/cli/memory/verify.ts';
import { GENESIS, hashEntry } from '../src/core/chain.ts';

/** Measures verifying an exported log of 1 KB entries, against reading the same file and hashing its bytes. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);

function* lines(): Generator<string> {
  let prev = GENESIS;
  const filler = 'measured '.repeat(105);
  for (let seq = 1; seq <= ENTRIES; seq++) {
    const body = `{"n":${String(seq).padStart(12, '0')},"note":"${filler}"}`;
    const entry = { seq, file: 'progress_log.jsonl', line: seq, idem: `i${seq}`, body, at: seq, prev };
    prev = hashEntry(entry);
    yield exportedLine({ ...entry, hash: prev });
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

const folder = mkdtempSync(join(tmpdir(), 'bowline-verify-'));
const path = join(folder, 'log.jsonl');
try {
  await pipeline(lines(), createWriteStream(path, { highWaterMark: 1 << 20 }));
  const bare = await seconds(async () => {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
    return hash.digest('hex');
  });
  const ours = await seconds(async () => {
    const { entries, problems } = await verifyMemory(
      entriesIn(path),
      { checkpoints: [], key: null },
      undefined,
    );
    if (entries !== ENTRIES || problems.length > 0)
      throw new Error(`verified ${entries}: ${problems.join(' ')}`);
  });
  console.log(
    '| entries of 1 KB | reading and hashing the file, s | verifying, s | ratio |\n|---|---|---|---|',
  );
  console.log(`| ${ENTRIES} | ${bare.toFixed(1)} | ${ours.toFixed(1)} | ${(ours / bare).toFixed(1)} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
