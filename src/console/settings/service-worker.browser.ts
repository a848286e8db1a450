/** Shows pushes, and opens the page that a push is about. */
import type { Notice } from '../../gate/notice.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', () => {
  self.skipWaiting();
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  // Every push of ours has a text.
  if (event.data) event.waitUntil(announce(event.data.json()));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.url));
});

function announce({ title, body, url, tag }: Notice): Promise<void> {
  const icon = '/assets/icon-192.png';
  return self.registration.showNotification(title, { body, tag, data: { url }, icon, badge: icon });
}

/** Brings the window that shows this page of ours to the front, or opens one. */
async function openPage(address: string): Promise<void> {
  const { origin, href } = new URL(address, self.location.origin);
  if (origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: 'window' });
  const same = windows.find(({ url }) => url === href);
  await (same ? same.focus() : self.clients.openWindow(href));
}
