import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesIn } from './export.ts';

/**
 * Finds the entries of an exported Markdown file in the log beside it. The file itself does not show where one with
 * empty lines ends. Gives nothing if there is no such log, or the file was changed since.
 */
export async function entriesBeside(path: string, file: string, text: string): Promise<string[] | undefined> {
  const log = join(dirname(path), 'log.jsonl');
  if (!existsSync(log)) return undefined;
  const bodies: string[] = [];
  try {
    for await (const entry of entriesIn(log)) if (entry.file === file) bodies.push(entry.body);
  } catch {
    // Whatever that file is, it is no log of an export.
    return undefined;
  }
  return bodies.map((body) => `${body}\n`).join('') === text ? bodies : undefined;
}
