import type { ServerEventBus } from '@modelcontextprotocol/server';
import { catalogue } from '../contracts/index.ts';
import type { linkRoute } from './api/link-routes.ts';
import { type PairingRoutePorts, pairedMachines } from './api/pairing-routes.ts';
import { ANYBODY, type Caller } from './core/call.ts';
import { sha256 } from './core/call-digest.ts';
import { systemClock } from './core/clock.ts';
import type { Door } from './core/invoke.ts';
import { type ToolSet, toolSet } from './core/tools.ts';
import type { HealthPorts } from './doctor/health.ts';
import { healthPorts } from './doctor/health-ports.ts';
import type { Env } from './env.ts';
import { eventsBus } from './events/events-bus.ts';
import { announcer } from './gate/announce.ts';
import { gateDoor } from './gate/gate-door.ts';
import type { GateStub } from './gate/gate-stub.ts';
import type { Senders } from './http/address-limit.ts';
import { type Doorstep, doorstepFor } from './http/doorstep.ts';
import type { HostPorts } from './joined/host-ports.ts';
import { type JoinedTools, joinedTools } from './joined/joined-list.ts';
import { makeHost } from './joined/make-host.ts';
import type { Chat } from './language/chat.ts';
import { chatBy } from './language/settings.ts';
import { makeMachines } from './machines/machines.ts';
import { MACHINE_MODEL_BASE, machineModelIn, modelFetch } from './machines/model-fetch.ts';
import type { Machines } from './machines/reach.ts';
import { type Memory, makeMemory } from './memory/memory-port.ts';
import type { witnessRoutes } from './memory/witness.ts';
import type { GithubSettings } from './mirror/github-hook.ts';
import { type Mirror, makeMirror } from './mirror/mirror-port.ts';
import { addressFrom } from './owner/address.ts';
import { makeAuth } from './owner/auth.ts';
import type { AuthPorts } from './owner/auth-ports.ts';
import { type Challenges, callerOfBearer, challengesFor, tokenOf } from './owner/bearer.ts';
import type { LeashPorts } from './owner/leash.ts';
import { sendersOf } from './owner/senders.ts';
import type { ResourceTools } from './surfaces/mirror-resources.ts';
import { resourceTools } from './surfaces/resource-tools.ts';
import { fateOf } from './tools/fate.ts';
import { handlers, previews } from './tools/registry.ts';
import { outwardFetch, serviceFetch } from './web/outbound.ts';
import { makeWebPorts } from './web/web-ports.ts';

export type { Env } from './env.ts';

/** Everything the gateway works with, made once from `Env`. */
export interface Ports {
  readonly doorstep: Doorstep;
  readonly tools: ToolSet;
  /** The tools of joined servers, and what joining works with. */
  readonly joined: JoinedTools;
  readonly host: HostPorts;
  /** The language model, if one is set. */
  readonly chat: Chat | undefined;
  /** What every tool of this side is called through. */
  readonly door: Door;
  readonly auth: AuthPorts;
  gate(): GateStub;
  /** What resources are read with. */
  readonly resourceTools: ResourceTools;
  readonly memory: Memory;
  /** What machines ask about the memory. */
  readonly witness: Parameters<typeof witnessRoutes>[0];
  readonly mirror: Mirror;
  readonly machines: Machines;
  readonly pairing: PairingRoutePorts;
  readonly machineLink: Parameters<typeof linkRoute>[0];
  readonly github: GithubSettings;
  /** What the owner asks when something does not work. */
  readonly health: HealthPorts;
  /** Tells open streams, in whatever isolate, what changed. */
  readonly events: ServerEventBus;
  /** Signs what a question to a client has to remember. */
  readonly stateKey: string;
  readonly challenges: Challenges;
  /** What ends whatever outlives its token or session. */
  readonly leash: LeashPorts;
  /** Whoever calls without saying who they are. */
  readonly anybody: Caller;
  /** Who sends a request, by its bearer token; `undefined` is somebody without a valid one. */
  callerOf(request: Request, via: Caller['via']): Promise<Caller | undefined>;
  /** Tells senders apart without a look into any store. */
  readonly senders: Senders;
  report(error: unknown, where: string): void;
}

const made = new WeakMap<Env, Ports>();

/** The fetch as it was before the worker guards the global one: the ways out below judge what they are for. */
const unguarded = globalThis.fetch;

/** Lets work go on after the answer has left. */
export type Later = (work: Promise<unknown>) => void;

/** The one place where configuration becomes dependencies. */
export function portsOf(env: Env, later: Later): Ports {
  let ports = made.get(env);
  if (!ports) {
    ports = wire(env, later);
    made.set(env, ports);
  }
  return ports;
}

function wire(env: Env, later: Later): Ports {
  const { origin } = new URL(env.PUBLIC_URL);
  const challenges = challengesFor(origin);
  const gate = () => env.GATE.get(env.GATE.idFromName('owner'));
  const door = gateDoor({
    gate,
    place: (...asked) => machines.place(...asked),
    origin,
    later,
    report,
    newCallId: () => `call_${crypto.randomUUID()}`,
    announce: announcer({ gate, origin, report }),
    fate: (request, earlier) => fateOf(request, earlier, { machines, memory }),
  });
  const auth = makeAuth({
    origin,
    env,
    ownerKeyHash: env.OWNER_KEY_HASH,
    addressOf: addressFrom(env.CLIENT_ADDRESS_HEADER),
    owner: () => env.OWNER.get(env.OWNER.idFromName('owner')),
    shutOutMachine: async (id) => machine(id).revoke(),
    report,
  });
  const events = eventsBus({
    stub: () => env.EVENTS.get(env.EVENTS.idFromName('owner')),
    later,
    report,
  });
  const memory = makeMemory({
    stub: () => env.MEMORY.get(env.MEMORY.idFromName('owner')),
    signingKey: env.MEMORY_KEY,
    changed: (file) => events.publish({ kind: 'resource_updated', uri: `memory://${file}` }),
    later,
    report,
  });
  const mirror = makeMirror({
    stub: () => env.MIRROR.get(env.MIRROR.idFromName('owner')),
    bucket: env.BLOBS,
  });
  const machine = (id: string) => env.MACHINE.get(env.MACHINE.idFromName(id));
  const machines = makeMachines({
    stub: machine,
    registry: () => env.OWNER.get(env.OWNER.idFromName('owner')).machines(),
    later,
    report,
  });
  const outward = outwardFetch(env, unguarded);
  const services = serviceFetch(env, unguarded);
  // The same object; its types are written out because those of RPC lose schemas on the way.
  const hostGate = gate as unknown as HostPorts['gate'];
  const joining = { origin, gate: hostGate, machines, door, events, report };
  const host = makeHost({ ...joining, outward, open: services, devOrigins: env.DEV_FETCH_ORIGINS });
  const pairing: PairingRoutePorts = { auth: auth.ports, machine, rules: gate, report };
  const machineList = { machines: () => pairedMachines(pairing) };
  const web = makeWebPorts(env, { guarded: outward, open: services, ai: env.AI });
  const onMachine = machineModelIn(env.LANGUAGE_URL ?? '');
  const chat = onMachine
    ? chatBy({ ...env, LANGUAGE_URL: MACHINE_MODEL_BASE }, modelFetch(onMachine, machines, report))
    : chatBy(env, services);
  return {
    doorstep: doorstepFor(env),
    tools: toolSet(
      catalogue,
      handlers,
      door,
      { clock: systemClock, memory, mirror, machines, machineList, origin, ...web, chat },
      previews,
    ),
    resourceTools: resourceTools(door, { memory, mirror }),
    joined: joinedTools(host),
    host,
    chat,
    memory,
    witness: {
      origin,
      memory: memory.stub,
      publicKeyOf: async (id) => (await env.OWNER.get(env.OWNER.idFromName('owner')).machine(id))?.publicKey,
    },
    mirror,
    machines,
    pairing,
    machineLink: {
      isPaired: async (id) => (await env.OWNER.get(env.OWNER.idFromName('owner')).machine(id)) !== null,
      connect: (id, request) => machine(id).fetch(request),
    },
    github: { repo: env.GITHUB_REPO, branch: env.GITHUB_BRANCH ?? 'main', secret: env.GITHUB_WEBHOOK_SECRET },
    health: healthPorts({
      origin,
      env,
      owner: () => env.OWNER.get(env.OWNER.idFromName('owner')),
      gate,
      events: () => env.EVENTS.get(env.EVENTS.idFromName('owner')),
      memory: memory.stub,
      mirror: mirror.stub,
      machines: machineList.machines,
    }),
    events,
    door,
    auth: auth.ports,
    gate,
    // Nobody who lacks the owner key's hash can make a state; and a state alone opens nothing.
    stateKey: sha256(`state:${env.OWNER_KEY_HASH ?? crypto.randomUUID()}`),
    challenges,
    leash: { credentialOf: auth.credentialOf, challenges, later },
    anybody: { principal: ANYBODY, client: 'unknown', via: 'rest', scopes: new Set(['read']) },
    callerOf: async (request, via) => {
      const token = tokenOf(request);
      const bearer = token === undefined ? undefined : await auth.bearerOf(token);
      return bearer && callerOfBearer(bearer, via);
    },
    senders: sendersOf({ ...auth, addressOf: auth.ports.addressOf, ownerKeyHash: env.OWNER_KEY_HASH }),
    report,
  };
}

function report(error: unknown, where: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: 'error', where, name, message, stack }));
}
