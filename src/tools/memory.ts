import { randomBytes } from 'node:crypto';
import { utf8Bytes } from '../../contracts/bytes.ts';
import type { writeMemoryEntry } from '../../contracts/memory.ts';
import type { Handler } from '../core/call.ts';
import { sha256 } from '../core/call-digest.ts';
import { canonicalJson } from '../core/json.ts';
import type { Memory } from '../memory/memory-port.ts';

/** Appends to the memory; the same entry again is found and not written twice, unless that is asked for. */
export const writeMemory: Handler<typeof writeMemoryEntry, { memory: Memory }> = async (
  { file, entry, repeat },
  call,
  { memory },
) => {
  const body = lineOf(entry);
  const appended = await memory.append({ file, body, idem: idemOf(file, body, repeat) });
  if ('locked' in appended) {
    return call.fail('memory_locked', `The memory refuses to serve, because ${appended.locked}.`);
  }
  return call.ok({
    success: true,
    line_number: appended.line,
    bytes_written: utf8Bytes(body) + 1,
    timestamp: new Date(appended.at).toISOString(),
    replayed: appended.replayed,
  });
};

/** An entry as its line: a text as it was given, an object in its one spelling. */
export function lineOf(entry: string | object): string {
  return typeof entry === 'string' ? entry : canonicalJson(entry);
}

/** What makes an entry the same as one before: its file and its words, unless it is meant as another. */
export function idemOf(file: string, body: string, isAnother: boolean): string {
  return isAnother
    ? `${sha256(`${file}\n${body}`)}:${randomBytes(12).toString('hex')}`
    : sha256(`${file}\n${body}`);
}
