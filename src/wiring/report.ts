import { visibleLine } from '../core/visible.ts';

/** Writes an error to the log, which no caller sees. */
export function report(error: unknown, where: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: 'error', where, name, message, stack }));
}

/** The longest message about what a client sent. */
const MAX_MALFORMED = 200;

/** Reports in a short line what is wrong with a client's message. A fault of ours is reported whole. */
export function reportMalformed(error: Error, where: string): void {
  if (OURS.some((kind) => error instanceof kind)) {
    report(error, where);
    return;
  }
  const message = visibleLine(error.message, MAX_MALFORMED);
  console.warn(JSON.stringify({ level: 'warn', where, message }));
}

/** The errors that a runtime throws about a program, and that nobody throws about a message. */
const OURS = [TypeError, RangeError, ReferenceError];
