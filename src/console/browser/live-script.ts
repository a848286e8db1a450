/**
 * Runs on every page of the signed-in owner: local times, copy buttons, and live parts. The page asks for
 * changes, waits for the answer, and then loads its live parts again from its own address, so that only the
 * server's code writes them.
 */
export const liveScript = `
const near = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const far = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const count = (root) => {
  for (const time of root.querySelectorAll('time[data-ago]')) {
    const seconds = Math.round((new Date(time.dateTime) - Date.now()) / 1000);
    const [size, unit] = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']].find(([size]) => Math.abs(seconds) >= size) || [1, 'second'];
    const text = far.format(Math.trunc(seconds / size), unit);
    if (time.textContent !== text) time.textContent = text;
  }
  for (const time of root.querySelectorAll('time[data-left]')) {
    const seconds = Math.max(0, Math.round((new Date(time.dateTime) - Date.now()) / 1000));
    time.textContent = seconds === 0 ? 'no time left' : Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ' left';
  }
};
setInterval(() => count(document), 1000);
const refine = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const counts = 'ago' in time.dataset || 'left' in time.dataset;
    time.title = counts ? near.format(at) : time.dateTime;
    if (!counts) time.textContent = near.format(at);
  }
  count(root);
  for (const button of root.querySelectorAll('button[data-copy]')) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.onclick = async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    };
  }
};
for (const part of document.querySelectorAll('[data-live][id]')) part.liveSource = part.innerHTML;
refine(document);

const title = document.title;
const heard = document.getElementById('news');
let waiting = null;
const showWaiting = (count) => {
  if (waiting !== null && count > waiting) heard.textContent = count + (count === 1 ? ' call waits' : ' calls wait') + ' for you';
  waiting = count;
  document.title = count ? '(' + count + ') ' + title : title;
  for (const mark of document.querySelectorAll('[data-waiting]')) {
    mark.hidden = count === 0;
    mark.textContent = count || '';
    mark.setAttribute('aria-label', ', ' + count + ' waiting');
  }
};

const refresh = async (signal) => {
  const answer = await fetch(location.href, { signal, redirect: 'manual' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live][id]')) {
    const newer = fresh.getElementById(part.id);
    if (!newer || newer.innerHTML === part.liveSource) continue;
    const source = newer.innerHTML;
    refine(newer);
    // Nobody is to lose their place: an open fold stays open, and the focus stays on what it was on.
    const open = [...part.querySelectorAll('details')].map((one) => one.open);
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    const like = held && (held.id ? '#' + CSS.escape(held.id) : held.getAttribute('href') ? held.localName + '[href="' + CSS.escape(held.getAttribute('href')) + '"]' : held.value ? held.localName + '[value="' + CSS.escape(held.value) + '"]' : held.localName);
    const typed = [...part.querySelectorAll('input[id]')].filter((one) => one.value !== one.defaultValue);
    part.replaceChildren(...newer.childNodes);
    for (const { id, value } of typed) {
      const again = part.querySelector('#' + CSS.escape(id));
      if (again) again.value = value;
    }
    part.liveSource = source;
    [...part.querySelectorAll('details')].forEach((one, at) => { if (open[at]) one.open = true; });
    if (like) (part.querySelector(like) || document.getElementById('main')).focus();
    part.dispatchEvent(new CustomEvent('refreshed', { bubbles: true }));
  }
};

const listen = async () => {
  let at = null;
  let failures = 0;
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (;;) {
    if (document.hidden) {
      await new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }));
      continue;
    }
    const leave = new AbortController();
    const stop = () => leave.abort();
    document.addEventListener('visibilitychange', stop, { once: true });
    addEventListener('pagehide', stop, { once: true });
    try {
      const answer = await fetch('/live' + (at === null ? '' : '?after=' + at), { signal: leave.signal, redirect: 'manual' });
      // Signed out: the next click says so.
      if (answer.type === 'opaqueredirect') return;
      if (!answer.ok) throw new Error('status ' + answer.status);
      const news = await answer.json();
      showWaiting(news.waiting);
      if (document.querySelector('[data-live]')) await refresh(leave.signal);
      at = news.at;
      document.documentElement.dataset.listens = '1';
      failures = 0;
    } catch {
      // The connection is gone or the page was left; try again, more and more slowly.
      if (!document.hidden) await wait(Math.min(30000, 500 * 2 ** failures++));
    }
    document.removeEventListener('visibilitychange', stop);
    removeEventListener('pagehide', stop);
  }
};
listen();
`;
