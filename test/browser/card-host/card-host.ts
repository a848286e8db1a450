import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';

/** The card that a host is to show, and what that host can do. */
interface ShownCard {
  readonly html: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly theme: 'light' | 'dark';
  readonly canCall: boolean;
  readonly canOpen: boolean;
}

export interface CardHost {
  showCard(card: ShownCard): Promise<void>;
  /** Tells the card how its call ended. */
  sendResult(result: object): Promise<void>;
  sendCancelled(): Promise<void>;
}

/** The page's own window, with what the test gives it. */
export interface HostWindow extends CardHost {
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>;
  openLink(url: string): Promise<void>;
}

interface Answers {
  /** Passes a card's call on, as a host does with its own connection. */
  callTool(name: string, args: Record<string, unknown>): unknown;
  openLink?(url: string): void;
}

const HOST = 'http://host.invalid';
const SANDBOX = 'http://sandbox.invalid';
export const HOST_ORIGINS = [HOST, SANDBOX];

/** What the specification has a host put around a card that asks for no address. */
const STRICT =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; object-src 'none'; frame-src 'none'; base-uri 'self'";

/** Puts the card into a frame of its own, and passes messages on between it and the host. */
const PROXY = `<!doctype html><title>Sandbox</title><style>html,body{margin:0}iframe{border:0;width:100%;height:100vh;display:block}</style><body><script>
let inner;
addEventListener('message', ({ source, data }) => {
  if (source === parent && data.method === 'ui/notifications/sandbox-resource-ready') {
    inner = document.createElement('iframe');
    inner.title = 'The card itself';
    inner.setAttribute('sandbox', 'allow-scripts');
    inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === parent) inner?.contentWindow.postMessage(data, '*');
  else if (source === inner?.contentWindow) parent.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script></body>`;

let script: Promise<string> | undefined;

async function hostScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'host-page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** Opens a host and shows a card in it. Gives the card's own document. */
export async function showCard(
  { page, context }: { readonly page: Page; readonly context: BrowserContext },
  card: Partial<ShownCard> & Pick<ShownCard, 'html' | 'tool'>,
  answers: Answers,
): Promise<FrameLocator> {
  script ??= hostScript();
  const text = await script;
  await context.route(`${HOST}/**`, (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: text })
      : route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><html lang="en"><title>Chat</title><style>:root{color-scheme:light dark}body{margin:8px}</style><main><h1>Chat</h1></main><script src="/host.js"></script></html>`,
        }),
  );
  await context.route(`${SANDBOX}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: PROXY, headers: { 'content-security-policy': STRICT } }),
  );
  await page.exposeFunction('callTool', answers.callTool);
  await page.exposeFunction('openLink', (url: string) => answers.openLink?.(url));
  await page.goto(`${HOST}/`);
  const shown = { args: {}, theme: 'light', canCall: true, canOpen: true, ...card } as const;
  await page.evaluate((given) => (window as unknown as HostWindow).showCard(given), shown);
  return page.frameLocator('iframe').frameLocator('iframe');
}

/** Tells the card that is open how its call ended. */
export function sendResult(page: Page, result: object): Promise<void> {
  return page.evaluate((given) => (window as unknown as HostWindow).sendResult(given), result);
}
