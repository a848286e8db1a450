import { openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

const LOG_LINES_SHOWN = 12;

/** Sends a child's output to a file, and remembers its end for error messages. A full disk costs lines and nothing else. */
export function keepLog(streams: readonly (Readable | null)[], path: string): () => string {
  let file: number | undefined;
  let kept = '';
  const write = (text: string) => {
    try {
      file ??= openSync(path, 'w', 0o600);
      writeSync(file, text);
    } catch {
      // There may be room again by the next line.
    }
  };
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      write(text);
      kept = (kept + text).slice(-8_192);
    });
  }
  return () => kept.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n  ');
}
