/** Gives the message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a full disk is called by SQLite, by systems and by Node. */
const DISK_FULL = /SQLITE_FULL|database or disk is full|ENOSPC|no space left on device/i;

export function isDiskFull(error: unknown): boolean {
  return DISK_FULL.test(errorText(error));
}
