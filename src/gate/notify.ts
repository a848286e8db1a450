import { BlockedUrl } from '../web/guarded-fetch.ts';
import type { Notice } from './notice.ts';
import { readable, shorten } from './notify-text.ts';
import { type Webhook, webhookRequest } from './notify-webhook.ts';
import { pushRequest, type Subscription, type VapidKeys } from './web-push.ts';

export { makeVapidKeys } from './web-push.ts';

/** The channels on which the owner wants notices, from their settings. */
export interface Channels {
  readonly webhooks: readonly Webhook[];
  readonly push: readonly Subscription[];
  readonly vapid: VapidKeys | undefined;
}

interface NoticePorts {
  readonly fetch: typeof globalThis.fetch;
  /** The contact that a push service may write to about us: a `mailto:` or an https origin. */
  readonly contact: string;
}

export interface NoticeOutcome {
  delivered: number;
  /** Endpoints of browsers that are no longer subscribed. Forget these. */
  gone: string[];
  /** One sentence each. They name only the host, because an endpoint or a topic is a secret. */
  failures: string[];
}

/** One request to send, and how to read its answer. */
interface Outgoing {
  readonly url: string;
  /** Statuses that mean that the channel no longer exists. */
  readonly gone: readonly number[];
  /** Undefined if there is no key to sign it with. */
  readonly request: (() => Promise<RequestInit>) | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_TITLE = 250;

/** Tells the owner through every channel at once. No channel waits for another or makes another fail. */
export async function sendNotice(
  notice: Notice,
  { webhooks, push, vapid }: Channels,
  { fetch, contact }: NoticePorts,
): Promise<NoticeOutcome> {
  const title = shorten(readable(notice.title.replaceAll(/\s+/g, ' ')), MAX_TITLE);
  const shown = { ...notice, title, body: readable(notice.body) };
  const outgoing: Outgoing[] = [
    ...webhooks.map((webhook) => ({
      url: webhook.url,
      gone: [],
      request: async () => webhookRequest(shown, webhook),
    })),
    ...push.map((subscription) => ({
      url: subscription.endpoint,
      gone: [404, 410],
      request: vapid && (() => pushRequest(shown, subscription, vapid, contact)),
    })),
  ];
  const answers = await Promise.all(
    outgoing.map(async (channel) => ({
      ...channel,
      answer: await inTime((signal) => ask(channel, fetch, signal)),
    })),
  );
  const outcome: NoticeOutcome = { delivered: 0, gone: [], failures: [] };
  for (const { url, gone, answer } of answers) {
    if (typeof answer === 'string') outcome.failures.push(`${hostOf(url)} ${answer}.`);
    else if (answer >= 200 && answer < 300) outcome.delivered++;
    else if (gone.includes(answer)) outcome.gone.push(url);
    else outcome.failures.push(`${hostOf(url)} answered ${answer}.`);
  }
  return outcome;
}

/** Gives the status that a channel answers with, or says in words why there is none. */
async function ask(
  { url, request }: Outgoing,
  fetch: NoticePorts['fetch'],
  signal: AbortSignal,
): Promise<number | string> {
  if (!request) return 'was not asked: there is no key pair to sign pushes with';
  let init: RequestInit;
  try {
    init = await request();
  } catch {
    // The error may quote the token or a key.
    return 'was not asked: its keys or token cannot be used, so it has to be set up again';
  }
  try {
    // Follow no redirect, because the token and the notice are for this address alone.
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    // Nobody reads the rest, so a failure to cancel it does not matter.
    response.body?.cancel().catch(() => undefined);
    return response.status;
  } catch (error) {
    return error instanceof BlockedUrl
      ? 'was not asked: only public addresses on the usual ports are'
      : 'could not be reached';
  }
}

/** Gives work its time, and goes on without it after that, even if it ignores the signal. */
async function inTime(work: (signal: AbortSignal) => Promise<number | string>): Promise<number | string> {
  const controller = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    resolve(`did not answer within ${TIMEOUT_MS / 1000} s`);
    controller.abort();
  }, TIMEOUT_MS);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'A channel whose address is no URL';
}
