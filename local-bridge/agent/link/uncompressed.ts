import { type Dispatcher, getGlobalDispatcher } from 'undici';
import { isLoopback } from '../../lib/loopback.ts';

/**
 * Gives a way to a gateway on this computer that does not offer to take compressed messages: packing and unpacking a short
 * one takes a tenth of a call's time, and more on a busy computer, where nothing is gained by it. Gives none for other
 * gateways, from which long texts come sooner compressed.
 */
export function uncompressedTo(url: string): Dispatcher | undefined {
  if (!isLoopback(new URL(url).hostname)) return undefined;
  return getGlobalDispatcher().compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headers: withoutOffer(options.headers ?? null) }, handler),
  );
}

type Headers = Exclude<Dispatcher.DispatchOptions['headers'], undefined>;

function withoutOffer(headers: Headers): Headers {
  // A WebSocket names its headers in an object.
  if (!headers || Array.isArray(headers) || Symbol.iterator in headers) return headers;
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'sec-websocket-extensions');
  return Object.fromEntries(kept);
}
