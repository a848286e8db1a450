import { headerText, type Notice, shorten } from './notify-text.ts';

/** A topic's address at an ntfy server, or anything that takes a POST of plain text. */
export interface Webhook {
  readonly url: string;
  /** For a protected topic. */
  readonly token?: string | undefined;
}

/** ntfy makes a file to download of a longer message. */
const MAX_MESSAGE = 3_900;

/**
 * What an ntfy topic is sent: the body as text, the rest in headers. ntfy also takes JSON, but at its root and not
 * at the topic's address, which neither a server below a path nor anything else that takes a POST would
 * understand; so it is headers, in encoded words (RFC 2047), which ntfy decodes in all of them.
 */
export function webhookRequest(notice: Notice, { token }: Webhook): RequestInit {
  const headers = new Headers({
    title: headerText(notice.title),
    click: headerText(notice.url),
    // A comma would make two tags of one.
    tags: headerText(notice.tag.replaceAll(',', ' ')),
    priority: 'high',
    'content-type': 'text/plain; charset=utf-8',
  });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return { method: 'POST', headers, body: shorten(notice.body, MAX_MESSAGE) };
}
