/** The controllers of requests, which also end for other reasons than that their sender left. */
const ends = new WeakMap<Request, AbortController>();

/** Gives the controller of the work for a request. Its signal also says that the sender left, or was shut out. */
export function endOf(request: Request): AbortController {
  const known = ends.get(request);
  if (known) return known;
  const end = new AbortController();
  request.signal.addEventListener('abort', () => end.abort(), { once: true });
  ends.set(request, end);
  return end;
}
