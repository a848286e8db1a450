import { CLOSE, EPOCHS_SINCE, type FromGateway, fromMachine, PROTOCOLS } from '../../contracts/link.ts';
import { decodeFrame } from '../core/link-text.ts';
import { challengeText, verifyProof } from '../core/machine-proof.ts';
import type { Arrival } from './link-ports.ts';
import type { Enrolled } from './machine-row.ts';

interface Challenge {
  readonly nonce: string;
  readonly connection: string;
}

/** The stage of a socket's greeting. It is kept with the socket, because the object may sleep meanwhile. */
export type Greeting =
  | { readonly stage: 'new'; readonly at: number }
  | ({ readonly stage: 'challenged'; readonly at: number; readonly protocol: number } & Challenge)
  | { readonly stage: 'checking'; readonly at: number };

/** The next step for a socket that is still greeting. */
export type Step =
  | { readonly kind: 'say'; readonly frame: FromGateway; readonly next: Greeting }
  | { readonly kind: 'check'; readonly next: Greeting; proof(): Promise<Arrival | undefined> }
  | { readonly kind: 'close'; readonly code: number; readonly why: string };

/** Moves the gateway's half of the handshake on by one message, or ends it. */
export function nextStep(
  greeting: Greeting,
  data: string | Uint8Array,
  machine: Enrolled,
  random: () => string,
): Step {
  const frame = typeof data === 'string' ? decodeFrame(fromMachine, data) : undefined;
  if (greeting.stage === 'new' && frame?.type === 'hello') {
    const protocol = PROTOCOLS.find((version) => frame.protocols.includes(version));
    if (protocol === undefined)
      return refuse(CLOSE.protocol, 'The two sides have no protocol version in common.');
    if (frame.machine !== machine.id)
      return refuse(CLOSE.unauthorized, 'The greeting came from another machine.');
    const challenge = { nonce: random(), connection: random() };
    return {
      kind: 'say',
      frame: { type: 'challenge', protocol, origin: machine.origin, ...challenge },
      next: { stage: 'challenged', at: greeting.at, protocol, ...challenge },
    };
  }
  if (greeting.stage === 'challenged' && frame?.type === 'proof') {
    const { nonce, connection, protocol } = greeting;
    const { signature, journal, about, epoch, moved, sandbox } = frame;
    if ((epoch === undefined) === protocol >= EPOCHS_SINCE)
      return refuse(CLOSE.protocol, 'The proof is for another version of the protocol.');
    const text = challengeText({ origin: machine.origin, machine: machine.id, nonce, connection });
    return {
      kind: 'check',
      // A challenge is good for one proof, even a wrong one.
      next: { stage: 'checking', at: greeting.at },
      proof: async () =>
        (await verifyProof(machine.publicKey, text, signature))
          ? { protocol, journal, epoch, moved, about, sandbox }
          : undefined,
    };
  }
  return refuse(CLOSE.protocol, 'This message does not come next.');
}

function refuse(code: number, why: string): Step {
  return { kind: 'close', code, why };
}
