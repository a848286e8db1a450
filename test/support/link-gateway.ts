import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BareWorker,
  bundleGateway,
  GATEWAY_OBJECTS,
  type Modules,
  startWorkerd,
} from '../../bench/support/workerd.ts';
import { type Link, type LinkOptions, startLink } from '../../local-bridge/agent/link/link.ts';
import type { ToolSet } from '../../src/core/tools.ts';
import { prepared } from './prepared.ts';

/** The origin that machines of this gateway sign for. */
const ORIGIN = 'http://127.0.0.1';

interface GatewayOptions {
  /** How long an answer is held, where it is not to take as long as it does for users. */
  readonly holdMs?: number;
  /** Whether its code is as a deploy makes it, for what is measured. */
  readonly minify?: boolean;
}

/** The gateway's code. It is bundled once for all test files that share a process. */
let bundled: Promise<Modules> | undefined;

/** The gateway under bare workerd, where machines are paired without their owner. */
export async function startLinkGateway({ holdMs, minify = false }: GatewayOptions = {}) {
  const ownerKey = `bwl_owner_${randomBytes(32).toString('base64url')}`;
  bundled ??= bundleGateway('bench/link-worker.ts', { minify });
  const bundle = await bundled;
  const worker = await startWorkerd('link', holdMs === undefined ? bundle : holding(bundle, holdMs), {
    vars: {
      PUBLIC_URL: ORIGIN,
      ALLOWED_HOSTS: '127.0.0.1,localhost',
      OWNER_KEY_HASH: createHash('sha256').update(ownerKey).digest('hex'),
    },
    objects: { ...GATEWAY_OBJECTS, MACHINE: 'MachineObject', BARE: 'BareLink' },
    kv: ['OAUTH_KV'],
  });
  return { worker, ownerKey };
}

/** The same gateway, that holds answers for another time: nothing in the product sets it. */
function holding(bundle: Modules, ms: number): Modules {
  return withText(bundle, /\bholdMs:\s*(?:4e4|40_?000)\b/, `holdMs:${ms}`);
}

/** A bundle with another text in the one place that a pattern fits, for what nothing in the product sets. */
export function withText(bundle: Modules, pattern: RegExp, text: string): Modules {
  const changed = Object.entries(bundle).map(([name, code]): [string, string] => [
    name,
    code.replace(pattern, text),
  ]);
  const count = changed.filter(([name, code]) => code !== bundle[name]).length;
  if (count !== 1) throw new Error(`${pattern} fits in ${count} modules, and not in one.`);
  return Object.fromEntries(changed);
}

export interface TestMachine {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  /** Its private key, as PEM. */
  readonly key: string;
  sign(text: string): Promise<string>;
  forget(): void;
}

/** Pairs a new machine whose socket will go to `origin`. */
export async function pairTestMachine(
  worker: BareWorker,
  name: string,
  origin = worker.url,
): Promise<TestMachine> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const body = JSON.stringify({ name, publicKey: publicKey.export({ format: 'jwk' }).x, origin });
  const response = await fetch(`${worker.url}/test-pair`, { method: 'POST', body });
  if (!response.ok) throw new Error(await response.text());
  const { id } = (await response.json()) as { id: string };
  const folder = mkdtempSync(join(tmpdir(), 'bowline-link-'));
  return {
    id,
    name,
    folder,
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    sign: async (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Connects it, and resolves when it is online. */
export async function connectTestMachine(
  machine: TestMachine,
  url: string,
  tools: ToolSet,
  more: Partial<LinkOptions> = {},
): Promise<Link> {
  const link = startLink({
    url,
    machine,
    sign: machine.sign,
    tools,
    about: { roots: [{ name: 'home', path: '/home/ada' }], version: '0.0.0' },
    folder: machine.folder,
    log: () => undefined,
    ...more,
  });
  await untilState(link, 'online');
  return link;
}

export function untilState(link: Link, is: Link['state']['is']): Promise<void> {
  return new Promise((done) => {
    if (link.state.is === is) return done();
    link.onState((state) => state.is === is && done());
  });
}

let calls = 0;

const byFetch = (url: string, body: string): Promise<Response> => fetch(url, { method: 'POST', body });

/** Sends a call straight to the machine's object, past the gate, and gives the response. */
export function sendCall<Answer = Response>(
  worker: BareWorker,
  machine: TestMachine,
  tools: ToolSet,
  name: string,
  args: unknown,
  id = `call_${++calls}_${Date.now()}`,
  send: (url: string, body: string) => Promise<Answer> = byFetch as never,
): Promise<Answer> {
  const contract = tools.get(name)?.contract;
  if (!contract) throw new Error(`No tool ${name}`);
  const { text, digest } = prepared(contract, args, { machine });
  const call = {
    id,
    tool: name,
    principal: 'tester',
    client: 'vitest',
    text,
    digest,
    effect: contract.risk !== 'read_only',
    timeoutMs: contract.limits.timeoutMs,
  };
  return send(`${worker.url}/test-call/${machine.id}`, JSON.stringify(call));
}
