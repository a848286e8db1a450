/**
 * Runs on every page of the signed-in owner. It shows local times, makes copy buttons work, and keeps the live parts
 * up to date: it waits until the gateway tells of a change, and then loads the page's live parts again.
 */
import { byId } from '../browser/dom.browser.ts';
import { listenForKeys } from './keys.browser.ts';
import { FOLD, isLong, NEWS, type News, WAITING, waitOf } from './page-names.ts';
import { refreshParts, rememberParts } from './refresh.browser.ts';
import { countTimes, refine } from './times.browser.ts';

const MAX_PAUSE_MS = 30_000;
let touchedAt = Date.now();
/** Ends a long wait when somebody comes back. */
let comeBack: (() => void) | undefined;

const title = document.title;
let lastWaiting: number | undefined;

rememberParts();
refine(document);
foldOnSmallScreens();
listenForKeys();
for (const kind of ['pointermove', 'keydown', 'scroll'])
  addEventListener(kind, touched, { passive: true, capture: true });
setInterval(() => countTimes(document), 1_000);
listen();

/** Folds filters that are not in use, so that a phone shows the results first. */
function foldOnSmallScreens(): void {
  if (matchMedia('(min-width: 54.01rem)').matches) return;
  for (const fold of document.querySelectorAll<HTMLDetailsElement>(`details[${FOLD}]`)) fold.open = false;
}

function touched(): void {
  touchedAt = Date.now();
  comeBack?.();
}

/** Waits for news for as long as the page is open. */
async function listen(): Promise<void> {
  let after: number | undefined;
  let failures = 0;
  for (;;) {
    if (document.hidden) {
      await new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }));
      touched();
      continue;
    }
    const leaving = new AbortController();
    const stop = () => leaving.abort();
    const wait = waitOf(secondsUntouched());
    let isBack = false;
    comeBack = isLong(wait)
      ? () => {
          isBack = true;
          stop();
        }
      : undefined;
    document.addEventListener('visibilitychange', stop, { once: true });
    addEventListener('pagehide', stop, { once: true });
    try {
      const news = await newsAfter(after, wait, leaving.signal);
      // The owner is signed out. Their next click leads to the sign-in.
      if (!news) return;
      showWaiting(news.waiting);
      await refreshParts(leaving.signal);
      after = news.at;
      document.documentElement.dataset.listens = '1';
      failures = 0;
    } catch {
      // The connection broke, or nobody looks at the page. In the first case try again, with longer and longer pauses.
      if (!document.hidden && !isBack) await pause(Math.min(MAX_PAUSE_MS, 500 * 2 ** failures++));
    }
    document.removeEventListener('visibilitychange', stop);
    removeEventListener('pagehide', stop);
  }
}

function secondsUntouched(): number {
  return Math.round((Date.now() - touchedAt) / 1_000);
}

/** Waits until something changed after the state `after`. Gives nothing if the owner was signed out. */
async function newsAfter(
  after: number | undefined,
  wait: number,
  signal: AbortSignal,
): Promise<News | undefined> {
  const query = after === undefined ? '' : `?after=${after}&wait=${wait}`;
  const answer = await fetch(`/live${query}`, { signal, redirect: 'manual' });
  if (answer.type === 'opaqueredirect') return undefined;
  if (!answer.ok) throw new Error(`/live answered with status ${answer.status}.`);
  return answer.json();
}

/** Shows the number of waiting calls in the title and the navigation. Tells screen readers when it grows. */
function showWaiting(count: number): void {
  if (lastWaiting !== undefined && count > lastWaiting) {
    byId(NEWS, HTMLElement).textContent = `${count} ${count === 1 ? 'call waits' : 'calls wait'} for you`;
  }
  lastWaiting = count;
  document.title = count > 0 ? `(${count}) ${title}` : title;
  for (const mark of document.querySelectorAll<HTMLElement>(`[${WAITING}]`)) {
    mark.hidden = count === 0;
    mark.textContent = count > 0 ? String(count) : '';
    mark.setAttribute('aria-label', `, ${count} waiting`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
