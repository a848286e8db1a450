import { cleaned } from './visible.ts';

/** Gives the message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Recognises a full disk in the words of SQLite, of operating systems and of Node. */
const DISK_FULL = /SQLITE_FULL|database or disk is full|ENOSPC|no space left on device/i;

export function isDiskFull(error: unknown): boolean {
  return DISK_FULL.test(errorText(error));
}

/**
 * Gives a service's complaint as one short line. A service may quote what it was sent, so secrets are taken out.
 */
export function complaintOf(message: string): string {
  const line = message.slice(0, 4_000).replace(/\b(?:sk-|Bearer )\S+/g, '[key]');
  return cleaned(line, 200).replace(/\s+/g, ' ');
}
