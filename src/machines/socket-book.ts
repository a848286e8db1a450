import { CLOSE } from '../../contracts/link.ts';
import { isWithin } from '../core/clock.ts';
import type { Greeting } from './gateway-greeting.ts';
import type { LinkSocket } from './link-ports.ts';

interface Proven {
  readonly stage: 'proven';
  readonly at: number;
  readonly epoch: number;
  /** The highest number that a call on it may have; left out by an earlier version. */
  readonly numbered?: number;
}

/** The data kept with a socket while the object sleeps. */
type Attachment = (Greeting | Proven) & {
  /** The address that it comes from. */
  readonly from?: string;
};

export type GreetingFrom = Greeting & Pick<Attachment, 'from'>;

/** The header that tells the object which address a machine dials from. The gateway sets it, whatever a client sent. */
export const DIALLED_FROM = 'bowline-dialled-from';

/** The most sockets that may be greeting at once, and of one address. Nobody has proved anything on them. */
const MAX_GREETING = 16;
const MAX_GREETING_OF_ONE = 4;
/** A machine greets as soon as it is connected. A socket that is silent for longer makes room for others. */
const SILENT_MS = 2_000;

/** The object's sockets, and the stage that each has reached. */
export class SocketBook {
  readonly #state: DurableObjectState;
  readonly #limits = new WeakMap<WebSocket, ReturnType<typeof setTimeout>>();
  readonly #known = new WeakMap<WebSocket, LinkSocket & { readonly web: WebSocket; heardAt: number }>();

  constructor(state: DurableObjectState) {
    this.#state = state;
  }

  keep(web: WebSocket, attachment: Attachment): void {
    const from = attachment.from ?? attachmentOf(web)?.from;
    web.serializeAttachment(from === undefined ? attachment : { ...attachment, from });
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
    const proven = attachment?.stage === 'proven' ? attachment : undefined;
    let [epoch, numbered] = [proven?.epoch ?? 0, proven?.numbered ?? 0];
    const socket = {
      web,
      heardAt: attachment?.at ?? 0,
      get epoch() {
        return epoch;
      },
      adopt: (risen: number) => {
        epoch = risen;
        this.keep(web, { stage: 'proven', at: Date.now(), epoch, numbered });
        socket.heardAt = Date.now();
      },
      get numbered() {
        return numbered;
      },
      number: (upTo: number) => {
        numbered = upTo;
        this.keep(web, { stage: 'proven', at: socket.heardAt, epoch, numbered });
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

  greetingOf(web: WebSocket): GreetingFrom | undefined {
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

  /**
   * Makes room for a socket that begins to greet, and tells if there is any. An address that has several makes room for
   * itself. If all places are taken, a socket that said nothing goes, and for an address where the machine was before,
   * any socket of another address.
   */
  makeRoom(from: string, isKnown: boolean, ms: number, now: number): boolean {
    const greeting = this.#greeting(ms, now);
    const own = greeting.filter((one) => one.from === from);
    if (own.length >= MAX_GREETING_OF_ONE) return giveWay(own);
    if (greeting.length < MAX_GREETING) return true;
    const others = greeting.filter((one) => one.from !== from);
    return giveWay(isKnown ? others : greeting.filter((one) => one.isSilent && one.at < now - SILENT_MS));
  }

  /** Lists sockets that are greeting, those that matter least first. Closes those that began longer ago. */
  #greeting(ms: number, now: number): GreetingSocket[] {
    const found: GreetingSocket[] = [];
    for (const web of this.#state.getWebSockets()) {
      const greeting = this.greetingOf(web);
      if (!greeting) continue;
      const { at, stage, from = '' } = greeting;
      if (!isWithin(ms, at, now)) closeSocket(web, CLOSE.dead, 'the greeting took too long');
      else if (web.readyState === WebSocket.OPEN) found.push({ web, at, from, isSilent: stage === 'new' });
    }
    return found.sort((one, other) => Number(other.isSilent) - Number(one.isSilent) || one.at - other.at);
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

interface GreetingSocket {
  readonly web: WebSocket;
  readonly at: number;
  readonly from: string;
  readonly isSilent: boolean;
}

/** Closes the first of some sockets, if there is one. */
function giveWay([first]: readonly GreetingSocket[]): boolean {
  if (first) closeSocket(first.web, CLOSE.dead, 'others connect, and this greeting is not over');
  return first !== undefined;
}

function attachmentOf(web: WebSocket): Attachment | null {
  return web.deserializeAttachment();
}

function closeSocket(web: WebSocket, code: number, reason: string): void {
  if (web.readyState !== WebSocket.CLOSED) web.close(code, reason);
}
