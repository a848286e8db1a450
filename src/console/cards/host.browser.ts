/** The version of the protocol between a card and its client. */
const PROTOCOL = '2026-01-26';

/** A message of JSON-RPC, as far as it was looked at. */
interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The program that shows the card, as the card speaks with it: by messages, and no other way. */
export interface Host {
  /** Its theme, and the tool that was called. */
  readonly context: Readonly<Record<string, unknown>>;
  /** True if the program passes calls of read-only tools on to Bowline. */
  readonly canCall: boolean;
  readonly canOpen: boolean;
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
}

type Told = (method: string, params: Record<string, unknown>) => void;

/** Meets the program that shows this card. `told` hears all that it says. */
export async function meetHost(told: Told): Promise<Host> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  const send = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method: string, params: object) => {
    const id = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    send({ id, method, params });
    return answer.promise;
  };
  const notify = (method: string, params: object) => send({ method, params });
  addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    // Other frames can send messages here as well.
    if (source !== parent || typeof data !== 'object' || data?.jsonrpc !== '2.0') return;
    const { id, method, params, result, error } = data;
    if (typeof method === 'string') {
      if (id !== undefined) send({ id, result: {} });
      told(method, recordIn(params));
      return;
    }
    const answer = typeof id === 'number' ? waiting.get(id) : undefined;
    if (typeof id === 'number') waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error('The program that shows this card refused.'));
  });
  const hello = {
    appInfo: { name: 'bowline-card', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline'] },
    protocolVersion: PROTOCOL,
  };
  const { hostContext, hostCapabilities } = recordIn(await request('ui/initialize', hello));
  const { serverTools, openLinks } = recordIn(hostCapabilities);
  notify('ui/notifications/initialized', {});
  return {
    context: recordIn(hostContext),
    canCall: serverTools !== undefined,
    canOpen: openLinks !== undefined,
    request,
    notify,
  };
}

/** Gives a value as an object. What is none counts as an empty one. */
export function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Gives a value as a text. What is none counts as an empty one. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Gives the objects of a list. What is no list counts as an empty one. */
export function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordIn) : [];
}
