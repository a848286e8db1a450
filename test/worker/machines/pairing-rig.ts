import { env } from 'cloudflare:workers';
import { generateKeyPairSync, sign } from 'node:crypto';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { ownerApi } from '../../../src/api/owner-api.ts';
import { machineOwnerRoutes, pairingRoutes } from '../../../src/api/pairing-routes.ts';
import { machinePages } from '../../../src/console/machines/machine-pages.tsx';
import type { LastCall } from '../../../src/console/machines/machine-views.tsx';
import { enrolmentText, fingerprintOf } from '../../../src/core/machine-proof.ts';
import type { MachinePort, MachineStatus } from '../../../src/machines/machine-port.ts';
import { addressFrom } from '../../../src/owner/address.ts';
import { makeAuth } from '../../../src/owner/auth.ts';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { inOwner, newAddress, type OwnerBrowser, owner, signedIn } from '../auth/owner.ts';
import { GATEWAY } from '../http.ts';

export const OFFLINE: MachineStatus = {
  online: false,
  since: null,
  roots: [],
  tools: [],
  version: null,
  sandbox: null,
  lastSeen: null,
};

/** The routes of pairing over the real owner's object, with what machines' objects were told written down. */
function pairingGateway() {
  const told: string[] = [];
  const reported: unknown[] = [];
  let broken = false;
  const status = new Map<string, MachineStatus>();
  const unreachable = new Set<string>();
  const lastCalls = new Map<string, LastCall>();
  const machine = (id: string): MachinePort => {
    const note = async (line: string) => {
      if (broken) throw new Error('the object cannot be reached');
      told.push(line);
    };
    return {
      enrol: ({ id: own, name, origin }) => note(`enrol ${own === id ? name : 'another id'} ${origin}`),
      rename: (name) => note(`rename ${name}`),
      revoke: () => note(`revoke ${id}`),
      status: async () => {
        if (unreachable.has(id)) throw new Error('the object cannot be reached');
        return status.get(id) ?? OFFLINE;
      },
      ping: async () => (status.get(id)?.online ? { ms: 3, tools: 2 } : null),
    };
  };
  const { ports: auth } = makeAuth({
    origin: GATEWAY,
    env,
    ownerKeyHash: undefined,
    addressOf: addressFrom('cf-connecting-ip'),
    owner,
    shutOutMachine: async (id) => void (await machine(id).revoke()),
    report: () => undefined,
  });
  const nothing = async () => undefined;
  const rules = () => ({ machinePaired: nothing, machineNamed: nothing, machineRenamed: nothing });
  const ports = { auth, machine, rules, report: (error: unknown) => void reported.push(error) };
  const app = new Hono();
  app.route('/api', pairingRoutes(ports));
  app.route('/api/owner/machines', machineOwnerRoutes(ports));
  app.route('/api/owner', ownerApi(auth));
  app.route(
    '/',
    machinePages({
      ...ports,
      tools: new Map(),
      loans: async () => [],
      lastCallOn: async ({ name, since }) => {
        const call = lastCalls.get(name);
        return call && call.at >= since ? call : null;
      },
    }),
  );
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('cf-connecting-ip')) headers.set('cf-connecting-ip', newAddress());
    return app.fetch(new Request(GATEWAY + path, { ...init, headers, redirect: 'manual' }));
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const as = ({ secret, csrf }: OwnerBrowser) => ({
    call: (method: string, path: string, body?: object) =>
      send(`/api/owner/${path}`, {
        method,
        headers: {
          cookie: `${SESSION_COOKIE}=${secret}`,
          'x-csrf-token': csrf,
          'content-type': 'application/json',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    page: (path: string) => send(path, { headers: { cookie: `${SESSION_COOKIE}=${secret}` } }),
    submit: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send(path, {
        method: 'POST',
        headers: { cookie: `${SESSION_COOKIE}=${secret}`, origin: GATEWAY, ...headers },
        body: new URLSearchParams({ csrf, ...fields }),
      }),
  });
  return {
    send,
    post,
    as,
    ports,
    told,
    reported,
    status,
    /** Machines whose objects fail whoever asks them how they are. */
    unreachable,
    /** The last calls that the gate knows, by the names of their machines. */
    lastCalls,
    breakObjects: (is: boolean) => {
      broken = is;
    },
  };
}

/** A machine as `bowline pair` is one: a key, and requests signed with it. */
export function newMachine() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'jwk' }).x ?? '';
  const signed = (text: string) =>
    sign(null, new TextEncoder().encode(text), privateKey).toString('base64url');
  return {
    key,
    signed,
    request: (name: string, origin = GATEWAY) => ({
      name,
      public_key: key,
      signature: signed(enrolmentText({ origin, name, publicKey: key })),
    }),
  };
}

interface Started {
  readonly state: string;
  readonly code: string;
  readonly secret: string;
  readonly expires_at: number;
  readonly machine?: { id: string; name: string };
}

type Answer = Readonly<Record<string, unknown>> & { readonly status: number };

/** A gateway that knows no machine, before every test anew, with an owner who is signed in. */
export function openPairing() {
  const gateway = pairingGateway();
  let own: OwnerBrowser;
  beforeEach(async () => {
    own = await signedIn();
  });
  afterEach(async () => {
    vi.useRealTimers();
    gateway.breakObjects(false);
    gateway.told.length = 0;
    gateway.reported.length = 0;
    gateway.unreachable.clear();
    await inOwner((sql) => {
      for (const table of ['machine', 'enrolment', 'passkey', 'attempt']) sql.exec(`DELETE FROM ${table}`);
    });
  });
  type Hands = ReturnType<typeof gateway.as>;
  const as: Hands = {
    call: (...asked) => gateway.as(own).call(...asked),
    page: (...asked) => gateway.as(own).page(...asked),
    submit: (...asked) => gateway.as(own).submit(...asked),
  };
  const answer = async (response: Response): Promise<Answer> => ({
    status: response.status,
    ...(await response.json<Record<string, unknown>>()),
  });
  const start = async (machine = newMachine(), name = 'mini', address = newAddress()) => {
    const response = await gateway.post('/api/pair', machine.request(name), { 'cf-connecting-ip': address });
    expect(response.status).toBe(200);
    return { ...(await response.json<Started>()), fingerprint: await fingerprintOf(machine.key) };
  };
  const confirm = async ({ code, fingerprint }: { code: string; fingerprint: string }, name?: string) => {
    const body = { decision: 'confirm', fingerprint, ...(name ? { name } : {}) };
    return answer(await as.call('POST', `machines/pair/${code}`, body));
  };
  const paired = async (name = 'mini', machine = newMachine()) => {
    const started = await start(machine, name);
    const { machine: made } = (await confirm(started)) as unknown as { machine: { id: string } };
    return { ...started, id: made.id, key: machine };
  };
  const stateOf = async (secret: string) => (await gateway.post('/api/pair/status', { secret })).json();
  return { gateway, as, visit: () => own, answer, start, confirm, paired, stateOf };
}
