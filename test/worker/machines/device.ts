import { env } from 'cloudflare:workers';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { FromGateway, FromMachine } from '../../../contracts/link.ts';
import { decodePiece, encodePiece } from '../../../src/core/link-pieces.ts';
import { challengeText } from '../../../src/core/machine-proof.ts';
import type { MachineCall } from '../../../src/machines/link-ports.ts';
import { DIALLED_FROM } from '../../../src/machines/socket-book.ts';

export const ORIGIN = 'http://localhost';

/** A machine that says whatever a test wants said. */
export async function enrolDevice(name = 'mini') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const id = `m_${crypto.randomUUID()}`;
  const stub = () => env.MACHINE.get(env.MACHINE.idFromName(id));
  const key = publicKey.export({ format: 'jwk' }).x ?? '';
  await stub().enrol({ id, name, publicKey: key, origin: ORIGIN });
  return {
    id,
    stub,
    sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

export type Device = Awaited<ReturnType<typeof enrolDevice>>;

/** A socket to the machine's object, and what came over it. */
export async function openSocket(device: Device, from?: string) {
  const request = new Request(`${ORIGIN}/link?machine=${device.id}`, {
    headers: { upgrade: 'websocket', ...(from === undefined ? {} : { [DIALLED_FROM]: from }) },
  });
  const response = await device.stub().fetch(request);
  const web = response.webSocket;
  if (!web) throw new Error(`no socket: ${response.status}`);
  web.binaryType = 'arraybuffer';
  web.accept();
  const heard: (FromGateway | Uint8Array | string)[] = [];
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const act of waiting.splice(0)) act();
  };
  let closed: { code: number; reason: string } | undefined;
  web.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') heard.push(new Uint8Array(data as ArrayBuffer));
    else heard.push(data.startsWith('{') ? JSON.parse(data) : data);
    wake();
  });
  web.addEventListener('close', ({ code, reason }) => {
    closed = { code, reason };
    wake();
  });
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (closed) throw new Error(`The gateway closed the socket: ${closed.code} ${closed.reason}`);
      await new Promise<void>((done) => waiting.push(done));
    }
  };
  return {
    heard,
    say: (frame: FromMachine | object | string) =>
      web.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    sayBytes: (bytes: Uint8Array) => web.send(bytes),
    /** Waits for a frame of that type, and takes it out of what was heard. */
    next: <Type extends FromGateway['type']>(type: Type) =>
      until(() => {
        const at = heard.findIndex((one) => typeof one === 'object' && 'type' in one && one.type === type);
        return at < 0 ? undefined : (heard.splice(at, 1)[0] as Extract<FromGateway, { type: Type }>);
      }),
    word: (text: string) => until(() => (heard.includes(text) ? text : undefined)),
    isClosed: () => closed !== undefined,
    close: () => web.close(1000, 'bye'),
    end: () => until(() => closed),
    /** Answers a call with a result, in one piece. */
    answer: (n: number, outcome: unknown) => {
      const bytes = new TextEncoder().encode(JSON.stringify(outcome));
      web.send(encodePiece({ n, isOk: true, at: 0, total: bytes.length, bytes }));
    },
  };
}

export type DeviceSocket = Awaited<ReturnType<typeof openSocket>>;

export const about = { roots: [{ name: 'here', path: '/here' }], tools: ['read_file'], version: '1.2.3' };

/** Greets as a machine does, up to the welcome. */
export async function connect(device: Device, journal = 'j1', from?: string) {
  const socket = await greetWith(device, [2], { journal }, from);
  return Object.assign(socket, { welcome: await socket.next('welcome') });
}

/** Greets as a machine does that says which connection it stored last. What comes of it is for the test to see. */
export function greetAs(
  device: Device,
  stored: { journal: string; epoch: number; moved?: boolean },
  protocols: readonly number[] = [3, 2],
) {
  return greetWith(device, protocols, stored);
}

/** Greets with this beside the rest of the proof. */
export const greetSaying = (device: Device, protocols: readonly number[], said: object) =>
  greetWith(device, protocols, { journal: 'j1', ...said });

async function greetWith(device: Device, protocols: readonly number[], stored: object, from?: string) {
  const socket = await openSocket(device, from);
  socket.say({ type: 'hello', protocols, machine: device.id });
  const challenge = await socket.next('challenge');
  const signature = device.sign(challengeText({ ...challenge, machine: device.id }));
  socket.say({ type: 'proof', signature, ...stored, about });
  return Object.assign(socket, { challenge, signature });
}

export function callNamed(id: string, more: Partial<MachineCall> = {}): MachineCall {
  return {
    id,
    tool: 'act',
    principal: 'ada',
    client: 'tests',
    text: '{}',
    digest: '0'.repeat(64),
    effect: true,
    timeoutMs: 60_000,
    ...more,
  };
}

export function textIn(answer: { readonly kind: string; readonly body?: Uint8Array }): string {
  if (answer.body === undefined) throw new Error(`expected a result, got ${answer.kind}`);
  return new TextDecoder().decode(answer.body);
}

export { decodePiece, encodePiece };
