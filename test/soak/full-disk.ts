/**
 * Loaded into a bridge before its own code: while the file named by `BOWLINE_SOAK_FULL` is there, the disk is full.
 * A write then takes in half of what it is given, or nothing, and fails, as a real one does.
 */
import * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const mark = process.env.BOWLINE_SOAK_FULL ?? '';
const real = { write: promisify(fs.write), writeSync: fs.writeSync, writeFileSync: fs.writeFileSync };
/** What is said on standard output and error is not kept on the disk. */
const isKept = (fd: unknown) => typeof fd === 'number' && fd > 2;
const isFull = () => mark !== '' && fs.existsSync(mark);
const noSpace = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });

type Writing = [fd: number, bytes: Uint8Array, at?: number, length?: number, position?: number | null];

async function write(...[fd, bytes, at = 0, length = bytes.length - at, position]: Writing) {
  if (!isKept(fd) || !isFull()) return real.write(fd, bytes, at, length, position);
  const half = Math.floor(length / 2);
  if (half > 0) await real.write(fd, bytes, at, half, position);
  throw noSpace();
}

function writeSync(...args: [...Writing]): number {
  const [fd, bytes, at = 0, length = bytes.length - at, position] = args;
  if (!isKept(fd) || !isFull()) return real.writeSync(...args);
  const half = typeof bytes === 'string' ? 0 : Math.floor(length / 2);
  if (half > 0) real.writeSync(fd, bytes, at, half, position);
  throw noSpace();
}

function writeFileSync(...args: Parameters<typeof fs.writeFileSync>): void {
  if (isFull() && (typeof args[0] !== 'number' || isKept(args[0]))) throw noSpace();
  real.writeFileSync(...args);
}

/** The form that is called with a function to call back; what is promised is made of `write` itself. */
function writeThen(...args: unknown[]): void {
  const then = args.pop() as (error: unknown, written?: number, bytes?: unknown) => void;
  write(...(args as Writing)).then(({ bytesWritten, buffer }) => then(null, bytesWritten, buffer), then);
}

const nodeFs = process.getBuiltinModule('node:fs');
nodeFs.write = Object.assign(writeThen, { [promisify.custom]: write }) as unknown as typeof fs.write;
nodeFs.writeSync = writeSync as typeof fs.writeSync;
nodeFs.writeFileSync = writeFileSync;
syncBuiltinESMExports();
