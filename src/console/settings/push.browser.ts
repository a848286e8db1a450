/** Subscribes this browser to pushes, or ends that. The forms tell the gateway. */
import { byId, field, first } from '../browser/dom.browser.ts';
import { PUSH_FIELD, PUSH_ID, PUSH_KEY } from './push-names.ts';

const problem = first(byId(PUSH_ID.part, HTMLElement), '[role=alert]', HTMLElement);
const on = byId(PUSH_ID.on, HTMLFormElement);
const off = byId(PUSH_ID.off, HTMLFormElement);

start();

async function start(): Promise<void> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return;
  const { pushManager } = await navigator.serviceWorker.register('/sw.js');
  const current = await pushManager.getSubscription();
  byId(PUSH_ID.never, HTMLElement).hidden = true;
  on.hidden = current !== null;
  off.hidden = current === null;
  if (current) fill(off, { [PUSH_FIELD.endpoint]: current.endpoint });
  sendAfter(on, subscribe);
  sendAfter(off, async () => {
    await current?.unsubscribe();
  });
}

/** Subscribes this browser, and fills in what the gateway needs to reach it. */
async function subscribe(): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const applicationServerKey = bytesOf(on.getAttribute(PUSH_KEY) ?? '');
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint = '', keys } = made.toJSON();
  fill(on, {
    [PUSH_FIELD.endpoint]: endpoint,
    [PUSH_FIELD.p256dh]: keys?.p256dh ?? '',
    [PUSH_FIELD.auth]: keys?.auth ?? '',
  });
}

/** Sends a form only after `act` went well, and otherwise says what went wrong. */
function sendAfter(form: HTMLFormElement, act: () => Promise<void>): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      await act();
      form.submit();
    } catch (error) {
      problem.textContent = wordsFor(error);
    }
  });
}

function wordsFor(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return name === 'NotAllowedError'
    ? 'This browser does not let pages of this address notify you. Allow it in its settings and try again.'
    : `This browser could not subscribe to notifications: ${message}`;
}

function fill(form: HTMLFormElement, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) field(form, name, HTMLInputElement).value = value;
}

/** Reads base64url, which `atob` does not know. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
