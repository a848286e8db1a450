import type { Notice } from './notice.ts';
import { headerText, shorten } from './notify-text.ts';

/** A topic's address at an ntfy server, or any address that takes a POST of plain text. */
export interface Webhook {
  readonly url: string;
  /** The token of a protected topic. */
  readonly token?: string | undefined;
}

/** ntfy turns a longer message into a file to download. */
const MAX_MESSAGE = 3_900;

/**
 * Makes the request to an ntfy topic: the body as text, the rest in headers. ntfy also takes JSON, but only
 * at its root and not at the topic's address. A server below a path, or another receiver of POSTs, would not
 * understand that. So this uses headers with encoded words (RFC 2047), which ntfy decodes in all of them.
 */
export function webhookRequest(notice: Notice, { token }: Webhook): RequestInit {
  const headers = new Headers({
    title: headerText(notice.title),
    click: headerText(notice.url),
    // A comma would split the tag in two.
    tags: headerText(notice.tag.replaceAll(',', ' ')),
    priority: 'high',
    'content-type': 'text/plain; charset=utf-8',
  });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return { method: 'POST', headers, body: shorten(notice.body, MAX_MESSAGE) };
}
