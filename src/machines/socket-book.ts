import { CLOSE } from '../../contracts/link.ts';
import { isWithin } from '../core/clock.ts';
import type { Greeting } from './gateway-greeting.ts';
import type { LinkSocket } from './link-ports.ts';

/** The data kept with a socket while the object sleeps. */
type Attachment = Greeting | { readonly stage: 'proven'; readonly at: number; readonly epoch: number };

/** The object's sockets, and the stage that each has reached. */
export class SocketBook {
  readonly #state: DurableObjectState;
  readonly #limits = new WeakMap<WebSocket, ReturnType<typeof setTimeout>>();
  readonly #known = new WeakMap<WebSocket, LinkSocket & { readonly web: WebSocket; heardAt: number }>();

  constructor(state: DurableObjectState) {
    this.#state = state;
  }

  keep(web: WebSocket, attachment: Attachment): void {
    web.serializeAttachment(attachment);
    // A leftover timer would keep the object awake.
    if (attachment.stage === 'proven') clearTimeout(this.#limits.get(web));
  }

  /** Closes the socket unless it has proved who it is by then. */
  limit(web: WebSocket, ms: number): void {
    const end = () => this.greetingOf(web) && closeSocket(web, CLOSE.dead, 'the greeting took too long');
    this.#limits.set(web, setTimeout(end, ms));
  }

  /** Gives the link's view of the socket, always the same one. */
  socketOf(web: WebSocket): LinkSocket & { heardAt: number } {
    const known = this.#known.get(web);
    if (known) return known;
    const attachment = attachmentOf(web);
    let epoch = attachment?.stage === 'proven' ? attachment.epoch : 0;
    const socket = {
      web,
      heardAt: attachment?.at ?? 0,
      get epoch() {
        return epoch;
      },
      adopt: (risen: number) => {
        epoch = risen;
        this.keep(web, { stage: 'proven', at: Date.now(), epoch });
        socket.heardAt = Date.now();
      },
      send: (frame: string | Uint8Array) => {
        // The next socket sends again everything that a closing one did not send.
        if (web.readyState === WebSocket.OPEN) web.send(frame);
      },
      close: (code: number, reason: string) => closeSocket(web, code, reason),
    };
    this.#known.set(web, socket);
    return socket;
  }

  /** Gives a socket that just sent something. */
  heard(web: WebSocket): LinkSocket {
    const socket = this.socketOf(web);
    socket.heardAt = Date.now();
    return socket;
  }

  greetingOf(web: WebSocket): Greeting | undefined {
    if (this.#known.get(web)?.epoch) return undefined;
    const attachment = attachmentOf(web);
    return attachment === null || attachment.stage === 'proven' ? undefined : attachment;
  }

  proven(): LinkSocket[] {
    return this.#state
      .getWebSockets()
      .map((web) => this.socketOf(web))
      .filter(({ epoch }) => epoch > 0);
  }

  /** Counts sockets that are greeting, and closes those that began longer ago. */
  greeting(ms: number): number {
    let count = 0;
    for (const web of this.#state.getWebSockets()) {
      const greeting = this.greetingOf(web);
      if (!greeting) continue;
      if (!isWithin(ms, greeting.at, Date.now())) closeSocket(web, CLOSE.dead, 'the greeting took too long');
      else count += 1;
    }
    return count;
  }

  closeAll(code: number, reason: string): void {
    for (const web of this.#state.getWebSockets()) closeSocket(web, code, reason);
  }

  /** Gives the time of a socket's last sign of life: a ping that woke nobody, or a frame. */
  lastSeen(socket: LinkSocket | undefined): number | null {
    const web = this.#state.getWebSockets().find((one) => this.socketOf(one) === socket);
    if (!web) return null;
    const pinged = this.#state.getWebSocketAutoResponseTimestamp(web)?.getTime() ?? 0;
    return Math.max(pinged, this.socketOf(web).heardAt);
  }
}

function attachmentOf(web: WebSocket): Attachment | null {
  return web.deserializeAttachment();
}

function closeSocket(web: WebSocket, code: number, reason: string): void {
  if (web.readyState !== WebSocket.CLOSED) web.close(code, reason);
}
