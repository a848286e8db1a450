import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Far longer than anything that is waited for here takes. */
const PATIENCE_MS = 120_000;

export interface WatchedOutput {
  /** Everything it has printed so far. */
  output(): string;
  /** Resolves when it has printed it, with the match. */
  shows(what: RegExp): Promise<RegExpExecArray>;
  /** With the code it ended with. */
  readonly ended: Promise<number | null>;
}

/** Follows what a program prints, to wait for parts of it. */
export function watchOutput(child: ChildProcess): WatchedOutput {
  let output = '';
  const lookers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of lookers) look();
    });
  }
  const ended = once(child, 'close').then(([code]): number | null => code);
  const shows = async (what: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = (how: string) => reject(new Error(`${how} before it showed ${what}:\n${output}`));
    const look = () => {
      const found = what.exec(output);
      if (found) resolve(found);
    };
    const limit = setTimeout(() => fail('Time ran out'), PATIENCE_MS);
    lookers.add(look);
    look();
    void ended.then((code) => fail(`It ended with ${code}`));
    return promise.finally(() => {
      clearTimeout(limit);
      lookers.delete(look);
    });
  };
  return { output: () => output, shows, ended };
}
