import { catalogue } from '../contracts/index.ts';
import { admitWithoutGate } from './core/admit.ts';
import type { Caller } from './core/call.ts';
import { type Clock, systemClock } from './core/clock.ts';
import type { Door } from './core/invoke.ts';
import { type ToolSet, toolSet } from './core/tools.ts';
import type { Doorstep } from './surfaces/doorstep.ts';
import { sayHello } from './tools/hello.ts';

/** What the Worker is given by its configuration. */
export interface Env {
  /** The gateway's own address, e.g. `https://bowline.example.workers.dev`. */
  readonly PUBLIC_URL?: string;
  /** More host names it answers to, separated by commas. */
  readonly ALLOWED_HOSTS?: string;
  /** Origins whose pages may call it, separated by commas. */
  readonly ALLOWED_ORIGINS?: string;
}

/** Everything the gateway works with, made once from `Env`. */
export interface Ports {
  readonly clock: Clock;
  readonly doorstep: Doorstep;
  readonly tools: ToolSet;
  /** Whoever calls without saying who they are. */
  readonly anybody: Caller;
  report(error: unknown, where: string): void;
}

const made = new WeakMap<Env, Ports>();

/** The one place where configuration becomes dependencies. */
export function portsOf(env: Env): Ports {
  let ports = made.get(env);
  if (!ports) {
    ports = wire(env);
    made.set(env, ports);
  }
  return ports;
}

function wire(env: Env): Ports {
  const clock = systemClock;
  const door: Door = {
    newCallId: () => `call_${crypto.randomUUID()}`,
    admit: admitWithoutGate,
    settle: () => undefined,
    report,
  };
  const { hello } = catalogue;
  return {
    clock,
    doorstep: doorstepOf(env),
    tools: toolSet({ hello }, { hello: sayHello }, door, { clock }),
    anybody: { principal: 'anybody', client: 'unknown', via: 'rest', scopes: new Set(['read']) },
    report,
  };
}

function doorstepOf(env: Env): Doorstep {
  const own = env.PUBLIC_URL && URL.canParse(env.PUBLIC_URL) ? [new URL(env.PUBLIC_URL).hostname] : [];
  return {
    hosts: new Set([...own, ...listed(env.ALLOWED_HOSTS)]),
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
