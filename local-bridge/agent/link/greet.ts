import {
  EPOCHS_SINCE,
  type FromMachine,
  fromGateway,
  type MachineAbout,
  PROTOCOLS,
  SANDBOX_SINCE,
  type Welcome,
} from '../../../contracts/link.ts';
import type { Sandbox } from '../../../contracts/sandboxes.ts';
import { decodeFrame } from '../../../src/core/link-text.ts';
import { challengeText } from '../../../src/core/machine-proof.ts';

/** The identity of this machine, and its proof. */
export interface Greeting {
  readonly machine: string;
  /** The origin of the dialled gateway. A challenge that names another origin came through somebody in between. */
  readonly origin: string;
  readonly journal: string;
  /** The number of the last connection that the journal stored. */
  readonly epoch: number;
  /** True if the journal has moved since that connection, so it may be a copy. */
  readonly moved: boolean;
  readonly about: MachineAbout;
  /** What keeps commands apart on this machine, if it has a terminal. */
  readonly sandbox?: Sandbox | undefined;
  sign(text: string): Promise<string>;
}

/** The reason why a gateway and this machine did not connect. */
class GreetingFailed extends Error {
  override name = 'GreetingFailed';
}

/** Does the machine's half of the handshake: the first message, and the answer to each frame. The welcome ends it. */
export function greet(greeting: Greeting, send: (text: string) => void) {
  const tell = (frame: FromMachine) => send(JSON.stringify(frame));
  tell({ type: 'hello', protocols: [...PROTOCOLS], machine: greeting.machine });
  return async (data: unknown): Promise<Welcome | undefined> => {
    const frame = typeof data === 'string' ? decodeFrame(fromGateway, data) : undefined;
    switch (frame?.type) {
      case 'challenge': {
        const { origin, nonce, connection, protocol } = frame;
        if (origin !== greeting.origin) {
          throw new GreetingFailed(
            `This machine dialled ${greeting.origin}, but the gateway there calls itself ${origin}.`,
          );
        }
        const signature = await greeting.sign(
          challengeText({ origin, machine: greeting.machine, nonce, connection }),
        );
        const { journal, epoch, moved, about, sandbox } = greeting;
        const stored = protocol >= EPOCHS_SINCE ? { epoch, ...(moved ? { moved } : {}) } : {};
        // An older gateway refuses a field that it does not know.
        const more = protocol >= SANDBOX_SINCE && sandbox ? { sandbox } : {};
        tell({ type: 'proof', signature, journal, ...stored, about, ...more });
        return undefined;
      }
      case 'welcome':
        return frame;
      case 'error':
        throw new GreetingFailed(frame.message);
      default:
        throw new GreetingFailed('what answers there is not a Bowline gateway');
    }
  };
}
