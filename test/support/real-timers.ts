import { afterAll, vi } from 'vitest';

/**
 * Files share one global scope. A spy on a pretended timer that nobody restores brings that timer back in a later file,
 * whose waits then never end. So each file must leave the real timers and no spies, and the one that does not is named.
 */
const NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

declare global {
  var timersBeforeAllTests: ReadonlyMap<string, unknown> | undefined;
}
globalThis.timersBeforeAllTests ??= new Map(NAMES.map((name) => [name, globalThis[name]]));

afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  const left = [...(globalThis.timersBeforeAllTests ?? [])].filter(
    ([name, real]) => Reflect.get(globalThis, name) !== real,
  );
  for (const [name, real] of left) Reflect.set(globalThis, name, real);
  const names = left.map(([name]) => name).join(', ');
  if (names !== '')
    throw new Error(`This file leaves a pretended ${names}: restore its spies before the timers.`);
});
