import { styleText } from 'node:util';

/** One line of good news. */
export function done(line: string): void {
  console.log(`${styleText('green', '✓')} ${line}`);
}

/** A line under one, quieter. */
export function detail(label: string, value: string): void {
  console.log(`  ${styleText('dim', `${label}:`)} ${value}`);
}

/** What went wrong and what to do, on standard error. */
export function complain(message: string, suggestion?: string): void {
  console.error(`${styleText('red', '✗', { stream: process.stderr })} ${message}`);
  if (suggestion) console.error(`  ${suggestion}`);
}

/** For programs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
