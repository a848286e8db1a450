import { closeSync, openSync, readSync, statSync, watchFile } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { visible } from '../../../src/core/visible.ts';
import { CliError } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';

interface Options {
  readonly lines: number;
  readonly follow?: boolean;
}

/** More of a log than anybody reads at once. */
const MAX_BYTES = 1_000_000;
const LOOK_EVERY_MS = 500;

export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .description('show what the bridge on this computer wrote to its log')
    .option('-n, --lines <n>', 'how many of the last lines', wholeNumber, 50)
    .option('-f, --follow', 'keep printing what is added, until Ctrl-C')
    .action(show);
}

function show({ lines, follow }: Options): void {
  const file = join(bowlineHome(), 'logs', 'bridge.log');
  const size = sizeOf(file);
  if (size === undefined) {
    throw new CliError(
      `There is no log at ${file}.`,
      'The installed service writes one. A bridge in a terminal prints there instead.',
    );
  }
  const text = partOf(file, Math.max(0, size - MAX_BYTES), size);
  const all = text.replace(/\n$/, '').split('\n');
  if (lines > 0 && text !== '') console.log(visible(all.slice(-lines).join('\n')));
  if (!follow) return;
  let at = size;
  watchFile(file, { interval: LOOK_EVERY_MS }, ({ size: now }) => {
    // A log that shrank was started again.
    if (now < at) at = 0;
    if (now > at) process.stdout.write(visible(partOf(file, Math.max(at, now - MAX_BYTES), now)));
    at = now;
  });
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function partOf(file: string, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from);
  const opened = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from)).toString('utf8');
  } finally {
    closeSync(opened);
  }
}

function wholeNumber(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= 10_000) return count;
  throw new InvalidArgumentError('Give a number from 0 to 10,000.');
}
