import { KEY, KEY_SWITCH } from './page-names.ts';

/** The setting of this browser to switch the keys off. Somebody who speaks to their computer types by accident. */
const OFF = 'keys-off';

/** The time after `g` in which a letter counts. */
const GO_MS = 1_500;

/** Listens for the keys that lead to pages. None of them changes anything. */
export function listenForKeys(): void {
  let wentAt = Number.NEGATIVE_INFINITY;
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target) || isOff()) return;
    const isGoing = event.timeStamp - wentAt < GO_MS;
    wentAt = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (isGoing && /^[a-z]$/.test(key)) document.querySelector<HTMLElement>(`[${KEY}="${key}"]`)?.click();
    else if (key === '?') location.assign('/keys');
    else if (key === '/') {
      const filter = document.querySelector<HTMLElement>('main form[method="get"] :is(input, select)');
      if (!filter) return;
      const fold = filter.closest('details');
      if (fold) fold.open = true;
      filter.focus();
      event.preventDefault();
    }
  });
  const button = document.querySelector<HTMLButtonElement>(`[${KEY_SWITCH}]`);
  if (!button) return;
  const show = () => {
    button.textContent = isOff() ? 'Turn keys on' : 'Turn keys off';
  };
  button.hidden = false;
  button.onclick = () => {
    if (isOff()) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
    show();
  };
  show();
}

function isOff(): boolean {
  return localStorage.getItem(OFF) !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
