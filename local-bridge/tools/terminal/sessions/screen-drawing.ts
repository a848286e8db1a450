import { parentPort, workerData } from 'node:worker_threads';
import xterm from '@xterm/headless';
import type { Drawn } from './screen.ts';

// This thread draws one screen and ends.

const { output, columns, rows } = workerData as {
  readonly output: Uint8Array;
  readonly columns: number;
  readonly rows: number;
};
const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
terminal.write(output, () => {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  let cursor = 0;
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.baseY + row);
    const text = line?.translateToString(true) ?? '';
    // A long line goes on in the next row. A secret must not hide in the fold.
    if (line?.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
    if (row === active.cursorY) cursor = lines.length - 1;
  }
  while (lines.length > cursor + 1 && lines.at(-1) === '') lines.pop();
  parentPort?.postMessage({ lines, cursor } satisfies Drawn);
});
