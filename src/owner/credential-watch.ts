import { SharedTimer } from '../core/shared-timer.ts';
import type { NewsLine } from '../events/news-line.ts';

/** The time between two lookups of the credential of a long request, while nobody tells of a change. */
const LOOK_EVERY_MS = 2_000;
/** The time between two lookups while the owner's object tells of each change. */
const QUIET_MS = 600_000;
/** The time for which a store that is read from many places may still say what was. */
const SETTLE_MS = 60_000;
/** The most time for opening a line to the object. */
const OPEN_MS = 1_000;
/** The time for which a request continues while nobody can say whether its credential is valid. */
const DOUBT_MS = 4_000;

export interface Credential {
  /** Gives the time when it ends, or `undefined` if it does not count. Asks the store, never a memory. */
  endsAt(): Promise<number | undefined>;
  /** True if its store may for a while say what was. */
  readonly lags: boolean;
}

export interface Leash {
  /** Resolves to `true` once the credential has ended. */
  readonly ended: Promise<boolean>;
  letGo(): void;
}

/** A line, and the news that comes next on it. */
interface Ear {
  readonly line: NewsLine;
  news: Promise<string | undefined>;
}

const GONE = 'gone';
const LATE = 'late';

/**
 * Checks again and again: every two seconds, and once the owner's object tells of changes by itself, only after each.
 * Shuts the sender out if the check fails for some time.
 */
export function watch(
  credential: Credential,
  shutOut: () => void,
  listen: () => Promise<NewsLine>,
  timer = new SharedTimer(),
): Leash {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  const released = Promise.withResolvers<undefined>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const { lags } = credential;
  let isHeld = true;
  /** How long nobody could say. Rests and looks add to it, because a clock that is set would falsify a difference. */
  let doubt = 0;
  let settled = lags ? Date.now() + SETTLE_MS : Date.now();
  let ear: Ear | undefined;
  const pause = (ms: number) => {
    const { promise, resolve: wake } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake(undefined);
    }, ms);
    timers.add(timer);
    return promise;
  };
  // Most requests are over before the first look, so it has no timer of its own.
  const { promise: first, resolve: begin } = Promise.withResolvers<undefined>();
  const callOff = timer.after(LOOK_EVERY_MS, () => begin(undefined));
  const letGo = () => {
    isHeld = false;
    callOff();
    for (const timer of timers) clearTimeout(timer);
    ear?.line.close();
    released.resolve(undefined);
  };
  const open = async () => {
    const opening = listen();
    const line = await Promise.race([opening, pause(OPEN_MS)]).catch(() => undefined);
    if (line && isHeld) ear = { line, news: line.next() };
    // Nobody listens to a line that comes too late.
    else opening.then((late) => late.close()).catch(() => undefined);
  };
  const look = async (): Promise<number | typeof GONE | undefined> => {
    const said = await Promise.race([
      credential.endsAt().then(
        (at): number | typeof GONE => at ?? GONE,
        () => undefined,
      ),
      pause(LOOK_EVERY_MS).then((): typeof LATE => LATE),
    ]);
    if (said !== LATE) return said;
    doubt += LOOK_EVERY_MS;
    return undefined;
  };
  /** Waits for news, or until the credential ends, or for a long time. */
  const quiet = async (heard: Ear, ms: number): Promise<undefined> => {
    const news = heard.news.then((text) => ({ text }));
    const said = await Promise.race([news, pause(Math.max(0, ms))]);
    if (!said) return undefined;
    if (lags) settled = Date.now() + SETTLE_MS;
    heard.news = heard.line.next();
    if (said.text !== undefined) return undefined;
    heard.line.close();
    ear = undefined;
    return undefined;
  };
  const follow = async () => {
    let rest = first;
    for (;;) {
      await Promise.race([rest, released.promise]);
      if (!isHeld) return;
      doubt += LOOK_EVERY_MS;
      // Listen first and look then, so that nothing can happen in between.
      if (!ear && Date.now() >= settled) await open();
      const end = await look();
      if (!isHeld) return;
      if (end !== undefined && end !== GONE) doubt = 0;
      if (end === GONE || doubt >= DOUBT_MS) break;
      const isQuiet = ear && end !== undefined && Date.now() >= settled;
      rest = ear && isQuiet ? quiet(ear, Math.min(QUIET_MS, end - Date.now())) : pause(LOOK_EVERY_MS);
    }
    letGo();
    shutOut();
    resolve(true);
  };
  void follow();
  return { ended, letGo };
}
