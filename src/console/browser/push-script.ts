/** Subscribes this browser to pushes and ends that, on the page of notifications. The forms do the rest. */
export const pushScript = `
const part = document.getElementById('this-browser');
const problem = part.querySelector('[role=alert]');
const subscribe = document.getElementById('push-on');
const unsubscribe = document.getElementById('push-off');
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
const fill = (form, values) => { for (const [name, value] of Object.entries(values)) form.elements[name].value = value; };
const trying = (form, act) => form.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.textContent = '';
  try {
    await act();
    form.submit();
  } catch (error) {
    problem.textContent = error.name === 'NotAllowedError' ? 'This browser does not let pages of this address notify you. Allow it in its settings and try again.' : 'This browser could not be signed up: ' + error.message;
  }
});
const start = async () => {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return;
  const worker = await navigator.serviceWorker.register('/sw.js');
  const current = await worker.pushManager.getSubscription();
  document.getElementById('push-never').hidden = true;
  subscribe.hidden = Boolean(current);
  unsubscribe.hidden = !current;
  if (current) fill(unsubscribe, { endpoint: current.endpoint });
  trying(subscribe, async () => {
    const ready = await navigator.serviceWorker.ready;
    const made = await ready.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(subscribe.dataset.key) });
    const { endpoint, keys } = made.toJSON();
    fill(subscribe, { endpoint, p256dh: keys.p256dh, auth: keys.auth });
  });
  trying(unsubscribe, async () => { await current.unsubscribe(); });
};
start();
`;

/** Shows pushes, and opens the page that a push is about. */
export const serviceWorker = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, {
    body, tag, data: { url }, icon: '/assets/icon-192.png', badge: '/assets/icon-192.png',
  }));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const url = new URL(event.notification.data.url, self.location.origin);
  if (url.origin !== self.location.origin) return;
  event.waitUntil((async () => {
    const open = await self.clients.matchAll({ type: 'window' });
    const same = open.find((client) => client.url === url.href);
    return same ? same.focus() : self.clients.openWindow(url.href);
  })());
});
`;
