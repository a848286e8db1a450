import { MARK_PATH } from '../parts/mark.tsx';
import { liveScript } from './live-script.ts';
import { passkeyScript } from './passkey-script.ts';
import { pushScript, serviceWorker } from './push-script.ts';
import { ruleScript } from './rule-script.ts';
import { css } from './style.ts';

/** The manifest that a phone or a desktop needs to install the console as an app. */
const manifest = {
  id: '/',
  name: 'Bowline',
  short_name: 'Bowline',
  description: 'What your models may do with what you own, and what waits for your yes.',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#f6f5f2',
  theme_color: '#0b5c6b',
  icons: [
    { src: '/assets/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/assets/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/assets/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/assets/mark.svg', sizes: 'any', type: 'image/svg+xml' },
  ],
  shortcuts: [
    { name: 'Approvals', url: '/approvals' },
    { name: 'Ledger', url: '/ledger' },
  ],
};

const texts: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'console.css': ['text/css', css],
  'console.js': ['text/javascript', liveScript],
  'passkeys.js': ['text/javascript', passkeyScript],
  'push.js': ['text/javascript', pushScript],
  'rules.js': ['text/javascript', ruleScript],
  'manifest.webmanifest': ['application/manifest+json', JSON.stringify(manifest)],
  'mark.svg': [
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2a93a5" stroke-width="2.4" stroke-linecap="round"><path d="${MARK_PATH}"/></svg>`,
  ],
};

/** Gives a style sheet, script or picture of ours. */
export async function asset(name: string): Promise<Response | undefined> {
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  if (text) return serve(`${text[0]}; charset=utf-8`, text[1]);
  // Pictures hardly shrink, so they stay out of what every start of the Worker reads.
  const { icons } = await import('../parts/icons.ts');
  const icon = Object.hasOwn(icons, name) ? icons[name] : undefined;
  return icon === undefined ? undefined : serve('image/png', Buffer.from(icon, 'base64'));
}

/** Gives the service worker, which shows pushes. It is at the root, because it serves all pages. */
export function serviceWorkerFile(): Response {
  return serve('text/javascript; charset=utf-8', serviceWorker, 'no-cache');
}

function serve(type: string, body: string | Uint8Array<ArrayBuffer>, cache = 'max-age=300'): Response {
  return new Response(body, {
    headers: { 'content-type': type, 'cache-control': cache, 'x-content-type-options': 'nosniff' },
  });
}
