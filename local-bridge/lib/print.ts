import { styleText } from 'node:util';
import { visible } from '../../src/core/visible.ts';

/** One line of good news. */
export function done(line: string): void {
  console.log(`${styleText('green', '✓')} ${line}`);
}

/** A line under one, quieter. */
export function detail(label: string, value: string): void {
  console.log(`  ${styleText('dim', `${label}:`)} ${value}`);
}

/** What went wrong and what to do, on standard error. Much of it is quoted from elsewhere. */
export function complain(message: string, suggestion?: string): void {
  console.error(`${styleText('red', '✗', { stream: process.stderr })} ${visible(message)}`);
  if (suggestion) console.error(`  ${visible(suggestion)}`);
}

/** For programs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
