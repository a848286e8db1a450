import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../support/bridge.ts';

/** Far longer than a program takes to see that it may not run, on a busy computer too. */
export const ENDS_WITHIN_MS = 120_000;

/** Waits for a program that has to end by itself, with that code, if one is given, and having said why. */
export async function endsWith(program: Running, code: number | undefined, says: RegExp): Promise<void> {
  const late = wait(ENDS_WITHIN_MS, 'late' as const, { ref: false });
  const ended = await Promise.race([program.ended, late]);
  if (ended === 'late') await program.end('SIGKILL');
  const isRight = code === undefined ? ended !== 0 && ended !== 'late' : ended === code;
  if (isRight && says.test(program.output())) return;
  const how = ended === 'late' ? 'was still running' : `ended with ${ended}`;
  throw new Error(
    `A program that had to end${code === undefined ? '' : ` with ${code}`} and say ${says} ${how}: ${program.output().slice(-1_500)}`,
  );
}
