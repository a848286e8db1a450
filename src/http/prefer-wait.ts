/** One preference of a `Prefer` header (RFC 7240): for how many seconds the client waits for its answer. */
const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:[,;]|$)/i;

/** Gives the time in milliseconds that a client says it waits for an answer. */
export function preferredWait(request: Request): number | undefined {
  const seconds = WAIT.exec(request.headers.get('prefer') ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
