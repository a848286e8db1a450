import { randomBytes } from 'node:crypto';
import { utf8Bytes } from '../../contracts/bytes.ts';
import type { Input, Output } from '../../contracts/contract.ts';
import type { writeMemoryEntry } from '../../contracts/memory.ts';
import { sha256 } from '../core/call-digest.ts';
import { isWithin } from '../core/clock.ts';
import type { EarlierCall, Fate } from '../core/fate.ts';
import type { Call, Handler } from '../core/handler.ts';
import { canonicalJson } from '../core/json.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import type { Previewer } from '../core/preview.ts';
import type { Appended } from '../memory/log.ts';
import { lockedBecause } from '../memory/memory-failures.ts';
import type { Memory } from '../memory/memory-port.ts';

type WriteMemory = typeof writeMemoryEntry;

/** Appends to the memory. It finds an equal entry instead of writing it again, unless the caller asks for another. */
export const writeMemory: Handler<WriteMemory, { memory: Memory }> = async (
  { file, entry, repeat },
  call,
  { memory },
) => {
  const body = lineOf(entry);
  const appended = await memory.append({ file, body, idem: idemOf(file, entry, repeat) });
  if ('locked' in appended) return locked(appended.locked, call);
  return call.ok(outputOf(body, appended));
};

/** Shows the line as it would stand. Others may write before it, so its number is only expected. */
export const previewMemory: Previewer<WriteMemory, { memory: Memory }> = async (
  { file, entry, repeat },
  call,
  { memory },
) => {
  const body = lineOf(entry);
  const expected = await memory.stub().expected(file, idemOf(file, entry, repeat));
  if ('locked' in expected) return locked(expected.locked, call);
  const { line, found } = expected;
  if (found) {
    const text = `The same entry is in ${file} already, as line ${found.line}: nothing would be written.`;
    return { facts: [{ text, unusual: true }], files: [], diff: null, state: null };
  }
  const path = `.claude/memory/${file}`;
  const added = body.split('\n');
  const text = `Becomes line ${line} of ${file}, unless something else is written before it.`;
  return {
    facts: [{ text, unusual: false }],
    files: [{ path, change: line === 1 ? 'create' : 'change' }],
    diff: `--- ${line === 1 ? '/dev/null' : path}\n+++ ${path}\n@@ -${line - 1},0 +${line},${added.length} @@\n${added.map((one) => `+${one}\n`).join('')}`,
    state: null,
  };
};

function locked(because: string, call: Pick<Call<WriteMemory>, 'fail'>) {
  return call.fail('memory_locked', lockedBecause(because));
}

/** Looks in the memory whether an interrupted call has written its entry. */
export async function fateOfWrite(
  { contract, input }: PreparedCall,
  { at }: EarlierCall,
  memory: Memory,
): Promise<Fate | undefined> {
  const { file, entry, repeat } = input as Input<typeof writeMemoryEntry>;
  // A deliberate second entry with the same words looks like the first.
  if (repeat) return undefined;
  const body = lineOf(entry);
  const found = await memory.stub().find(idemOf(file, entry, false));
  if (found) return { kind: 'ended', result: { kind: 'ok', output: outputOf(body, found) }, at: found.at };
  // If a late write comes after all, it finds the repeat's entry, or the repeat finds its entry.
  return isWithin(contract.limits.timeoutMs, at, Date.now()) ? undefined : { kind: 'not_run' };
}

function outputOf(body: string, { line, at, replayed }: Appended): Output<typeof writeMemoryEntry> {
  return {
    success: true,
    line_number: line,
    bytes_written: utf8Bytes(body) + 1,
    timestamp: new Date(at).toISOString(),
    replayed,
  };
}

/** Writes an entry as its line: a text unchanged, an object with its keys as they were sent. */
export function lineOf(entry: string | object): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry);
}

/**
 * Makes the key by which two entries count as the same: file and words, unless the caller asks for another entry. The
 * order of an object's keys makes no difference.
 */
export function idemOf(file: string, entry: string | object, isAnother: boolean): string {
  const body = typeof entry === 'string' ? entry : canonicalJson(entry);
  return isAnother
    ? `${sha256(`${file}\n${body}`)}:${randomBytes(12).toString('hex')}`
    : sha256(`${file}\n${body}`);
}
