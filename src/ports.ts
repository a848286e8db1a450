import type { ServerEventBus } from '@modelcontextprotocol/server';
import { catalogue } from '../contracts/index.ts';
import { makeAuth } from './auth/auth.ts';
import type { AuthPorts } from './auth/auth-ports.ts';
import { type Challenges, callerOfBearer, challengesFor, tokenOf } from './auth/bearer.ts';
import type { OwnerObject } from './auth/owner-object.ts';
import type { Caller } from './core/call.ts';
import { sha256 } from './core/call-digest.ts';
import { systemClock } from './core/clock.ts';
import type { Door } from './core/invoke.ts';
import { type ToolSet, toolSet } from './core/tools.ts';
import { eventsBus } from './events/events-bus.ts';
import type { EventsObject } from './events/events-object.ts';
import { announcer } from './gate/announce.ts';
import { gateDoor } from './gate/gate-door.ts';
import type { GateObject } from './gate/gate-object.ts';
import type { GateStub } from './gate/gate-stub.ts';
import type { MemoryLog } from './memory/memory-object.ts';
import { type Memory, makeMemory } from './memory/memory-port.ts';
import type { Doorstep } from './surfaces/doorstep.ts';
import { sayHello } from './tools/hello.ts';
import { writeMemory } from './tools/memory.ts';
import { readRepo } from './tools/repo.ts';

/** What the Worker is given by its configuration. */
export interface Env {
  /** The gateway's own address, e.g. `https://bowline.example.workers.dev`. */
  readonly PUBLIC_URL: string;
  /** SHA-256 of the owner key, in hex. */
  readonly OWNER_KEY_HASH?: string;
  /** More host names it answers to, separated by commas. */
  readonly ALLOWED_HOSTS?: string;
  /** Origins whose pages may call it, separated by commas. */
  readonly ALLOWED_ORIGINS?: string;
  readonly OAUTH_KV: KVNamespace;
  readonly OWNER: DurableObjectNamespace<OwnerObject>;
  readonly GATE: DurableObjectNamespace<GateObject>;
  readonly MEMORY: DurableObjectNamespace<MemoryLog>;
  readonly EVENTS: DurableObjectNamespace<EventsObject>;
  /** Signs the memory's checkpoints: a private Ed25519 key, PKCS #8 in base64. */
  readonly MEMORY_KEY?: string;
}

/** Everything the gateway works with, made once from `Env`. */
export interface Ports {
  readonly doorstep: Doorstep;
  readonly tools: ToolSet;
  /** What every tool of this side is called through. */
  readonly door: Door;
  readonly auth: AuthPorts;
  gate(): GateStub;
  readonly memory: Memory;
  /** Tells open streams, in whatever isolate, what changed. */
  readonly events: ServerEventBus;
  /** Signs what a question to a client has to remember. */
  readonly stateKey: string;
  readonly challenges: Challenges;
  /** Whoever calls without saying who they are. */
  readonly anybody: Caller;
  /** Who sends a request, by its bearer token; `undefined` is somebody without a valid one. */
  callerOf(request: Request, via: Caller['via']): Promise<Caller | undefined>;
  /** Whether a request carries a token that this isolate has lately seen to be good. */
  isKnown(request: Request): boolean;
  report(error: unknown, where: string): void;
}

const made = new WeakMap<Env, Ports>();

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
  const gate = () => env.GATE.get(env.GATE.idFromName('owner'));
  const door = gateDoor({
    gate,
    origin,
    later,
    report,
    newCallId: () => `call_${crypto.randomUUID()}`,
    announce: announcer({ gate, origin, report }),
  });
  const auth = makeAuth({
    origin,
    env,
    ownerKeyHash: env.OWNER_KEY_HASH,
    owner: () => env.OWNER.get(env.OWNER.idFromName('owner')),
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
  const { hello, read_repo_file, write_memory_entry } = catalogue;
  return {
    doorstep: doorstepOf(env),
    tools: toolSet(
      { hello, read_repo_file, write_memory_entry },
      { hello: sayHello, read_repo_file: readRepo, write_memory_entry: writeMemory },
      door,
      { clock: systemClock, memory },
    ),
    memory,
    events,
    door,
    auth: auth.ports,
    gate,
    // Nobody who lacks the owner key's hash can make a state; and a state alone opens nothing.
    stateKey: sha256(`state:${env.OWNER_KEY_HASH ?? crypto.randomUUID()}`),
    challenges: challengesFor(origin),
    anybody: { principal: 'anybody', client: 'unknown', via: 'rest', scopes: new Set(['read']) },
    callerOf: async (request, via) => {
      const token = tokenOf(request);
      const bearer = token === undefined ? undefined : await auth.bearerOf(token);
      return bearer && callerOfBearer(bearer, via);
    },
    isKnown: (request) => auth.wasGood(tokenOf(request) ?? ''),
    report,
  };
}

function doorstepOf(env: Env): Doorstep {
  const own = new URL(env.PUBLIC_URL).hostname;
  return {
    hosts: new Set([own, ...listed(env.ALLOWED_HOSTS)]),
    origins: new Set(listed(env.ALLOWED_ORIGINS)),
  };
}

function listed(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function report(error: unknown, where: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: 'error', where, name, message, stack }));
}
