import type { Session } from './session.ts';

/** Output is taken to rest when nothing came for this long. */
const REST_MS = 300;
/** The bytes to search at a time. */
const SEARCH_BYTES = 65_536;

/** What to wait for: a text after an offset, or else output that rests. */
export interface Wait {
  readonly offset: number;
  readonly until?: string | undefined;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Waits for a session to print. Gives whether the text came. It also ends with the session. */
export async function waitFor(session: Session, { offset, until, ms, signal }: Wait): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const search = until === undefined ? undefined : searcher(session, offset, until);
  let rest: NodeJS.Timeout | undefined;
  const look = () => {
    if (search) {
      if (search()) return over.resolve(true);
    } else if (session.endOffset > offset || session.unfinished() !== '') {
      clearTimeout(rest);
      rest = setTimeout(() => over.resolve(false), REST_MS);
    }
    if (!session.running) over.resolve(false);
  };
  const stop = session.onChange(look);
  const timer = setTimeout(() => over.resolve(false), ms);
  const leave = () => over.resolve(false);
  signal.addEventListener('abort', leave, { once: true });
  look();
  try {
    return await over.promise;
  } finally {
    stop();
    clearTimeout(rest);
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

/** Makes a search that goes on where it stopped, so that output is searched once however often it comes. */
function searcher(session: Session, offset: number, text: string): () => boolean {
  let at = offset;
  let before = '';
  return () => {
    while (at < session.endOffset) {
      const { text: more, next } = session.read(at, SEARCH_BYTES);
      if (next <= at) break;
      at = next;
      const all = before + more;
      if (all.includes(text)) return true;
      before = all.slice(-(text.length - 1) || all.length);
    }
    return (before + session.unfinished()).includes(text);
  };
}
