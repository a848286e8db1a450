import { MARK_PATH } from '../parts/mark.tsx';

const SCRIPT = 'text/javascript; charset=utf-8';

/** The manifest that a phone or a desktop needs to install the console as an app. */
const manifest = {
  id: '/',
  name: 'Bowline',
  short_name: 'Bowline',
  description: 'What your models may do with what you own, and what waits for your approval.',
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

const small: Readonly<Record<string, string>> = {
  'manifest.webmanifest': JSON.stringify(manifest),
  'mark.svg': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2a93a5" stroke-width="2.4" stroke-linecap="round"><path d="${MARK_PATH}"/></svg>`,
};

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: SCRIPT,
  webmanifest: 'application/manifest+json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/**
 * Gives a style sheet, script or picture of ours. Most are imported here, on demand, so that no start of the Worker
 * reads them.
 */
export async function asset(name: string): Promise<Response | undefined> {
  const text = own(small, name) ?? own((await import('./texts.ts')).texts, name);
  if (text !== undefined) return serve(TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? '', text);
  const icon = own((await import('../parts/icons.ts')).icons, name);
  return icon === undefined ? undefined : serve('image/png', Buffer.from(icon, 'base64'));
}

/** Gives the service worker, which shows pushes. It is at the root, because it serves all pages. */
export async function serviceWorkerFile(): Promise<Response> {
  const { serviceWorker } = await import('./texts.ts');
  return serve(SCRIPT, serviceWorker, 'no-cache');
}

/** Looks a name up that somebody sent, which may be "constructor". */
function own(files: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(files, name) ? files[name] : undefined;
}

function serve(type: string, body: string | Uint8Array<ArrayBuffer>, cache = 'max-age=300'): Response {
  return new Response(body, {
    headers: { 'content-type': type, 'cache-control': cache, 'x-content-type-options': 'nosniff' },
  });
}
