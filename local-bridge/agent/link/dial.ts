import { WebSocket } from 'undici';
import { CLOSE, LINK, PING, PONG } from '../../../contracts/link.ts';
import { errorText } from '../../../src/core/error-text.ts';
import { type Greeting, greet } from './greet.ts';
import type { MachineSocket } from './machine-link.ts';
import { uncompressedTo } from './uncompressed.ts';

/**
 * The reason why a gateway will not let this machine in again: the owner revoked it, or another copy took its place.
 */
export type Refusal = 'refused' | 'copied';

/** Handles what happens on a connection, in this order: up once, messages, down once. */
interface Dialled {
  up(socket: MachineSocket, epoch: number): void;
  /** Takes a message. Answers `false` to end the connection, if the other side breaks the protocol. */
  message(socket: MachineSocket, data: string | Uint8Array): boolean;
  down(why: string, refusal: Refusal | undefined): void;
}

/** Dials a gateway once. Gives a function that hangs up. */
export function dial(
  url: string,
  greeting: Greeting,
  heard: Dialled,
  pingMs: number = LINK.pingMs,
): () => void {
  const dispatcher = uncompressedTo(url);
  const web = new WebSocket(url, dispatcher && { dispatcher });
  web.binaryType = 'arraybuffer';
  let state: 'greeting' | 'up' | 'down' = 'greeting';
  let missed = 0;
  let ping: NodeJS.Timeout | undefined;
  const socket: MachineSocket = {
    send: (frame) => {
      if (state !== 'down' && web.readyState === WebSocket.OPEN) web.send(frame);
    },
    close: () => down('hung up'),
  };
  const down = (why: string, refusal?: Refusal) => {
    if (state === 'down') return;
    state = 'down';
    clearTimeout(limit);
    clearInterval(ping);
    // Do not wait: a dead connection may take its time to close.
    web.close();
    heard.down(why, refusal);
  };
  const limit = setTimeout(() => down('the gateway did not finish the greeting'), LINK.handshakeMs);
  const beat = () => {
    if (missed >= 2) return down('the gateway did not answer two pings');
    missed += 1;
    socket.send(PING);
  };
  let answer: ReturnType<typeof greet> | undefined;
  const greeted = (data: unknown) => {
    answer?.(data).then(
      (welcome) => {
        if (!welcome || state !== 'greeting') return;
        state = 'up';
        clearTimeout(limit);
        ping = setInterval(beat, pingMs);
        heard.up(socket, welcome.epoch);
      },
      (error: unknown) => down(errorText(error)),
    );
  };
  web.addEventListener('open', () => {
    answer = greet(greeting, (text) => socket.send(text));
  });
  web.addEventListener('message', ({ data }: { data: unknown }) => {
    missed = 0;
    if (data === PONG || state === 'down') return;
    if (state === 'greeting') return greeted(data);
    const frame = data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);
    if (!heard.message(socket, frame)) down('the gateway broke the protocol');
  });
  web.addEventListener('close', ({ code, reason }) => {
    down(reason || `closed (${code})`, refusalOf(code));
  });
  web.addEventListener('error', () => down('the gateway could not be reached'));
  return () => down('hung up');
}

function refusalOf(code: number): Refusal | undefined {
  if (code === CLOSE.copied) return 'copied';
  return code === CLOSE.revoked || code === CLOSE.unauthorized ? 'refused' : undefined;
}
