/** Writes a time as this computer's clock shows it, to the second. */
export function localTime(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

/** Names the time zone of this computer's clock, such as CET. */
export function zoneHere(): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(new Date());
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';
}
