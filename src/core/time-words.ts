/** Says how long ago something was, as a person would. */
export function agoIn(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 120) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  return `${Math.round(minutes / 60)} hours ago`;
}

/** Says how much time is left, as a person would. */
export function leftIn(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 1) return 'no time left';
  if (seconds < 90) return seconds === 1 ? '1 second left' : `${seconds} seconds left`;
  return `${Math.floor(seconds / 60)} minutes left`;
}
