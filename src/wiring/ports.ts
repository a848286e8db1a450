import type { Caller } from '../core/call.ts';
import { sha256 } from '../core/call-digest.ts';
import { healthPorts } from '../doctor/health-ports.ts';
import { runLate } from '../gate/run-late.ts';
import { scopesOf } from '../owner/access.ts';
import type { TaskPorts } from '../surfaces/call-tasks.ts';
import { instructionsFor } from '../surfaces/instructions.ts';
import { callerPorts } from './callers.ts';
import { callingPorts } from './calling.ts';
import { type Later, objectsOf } from './common.ts';
import type { Env } from './env.ts';
import { keepingPorts } from './keeping.ts';
import { machinePorts } from './machine-side.ts';
import { report } from './report.ts';

/** Everything the gateway works with, made once from `Env`. */
export type Ports = ReturnType<typeof wire>;

const made = new WeakMap<Env, Ports>();

/** Turns configuration into dependencies. Nothing else does. */
export function portsOf(env: Env, later: Later): Ports {
  let ports = made.get(env);
  if (!ports) {
    ports = wire(env, later);
    made.set(env, ports);
  }
  return ports;
}

function wire(env: Env, later: Later) {
  const { origin } = new URL(env.PUBLIC_URL);
  const objects = objectsOf(env);
  const parts = { env, origin, objects, later };
  const keeping = keepingPorts(parts);
  const callers = callerPorts(parts);
  const machineSide = machinePorts(parts, callers);
  const calling = callingPorts(parts, { ...keeping, ...machineSide });
  /** Signs what clients keep between two requests. Nobody can make it without the owner key's hash. */
  const stateKey = sha256(`state:${env.OWNER_KEY_HASH ?? crypto.randomUUID()}`);
  const find = async (name: string) => calling.tools.get(name) ?? calling.joined.find(name);
  return {
    origin,
    ...keeping,
    ...callers,
    ...machineSide,
    ...calling,
    gate: objects.gate,
    instructions: (caller: Caller) =>
      instructionsFor(caller, { machines: machineSide.machineList, gate: objects.gate, report }),
    /** Runs an approved call after its caller has left. */
    runLate: (code: string) =>
      runLate(code, {
        approvedCall: (asked) => objects.gate().approvedCall(asked),
        find,
        scopesOf: (principal) => scopesOf(principal, callers.auth),
        later,
      }),
    /** The answers for the owner when something does not work. */
    health: healthPorts({
      origin,
      env,
      owner: objects.owner,
      gate: objects.gate,
      events: objects.events,
      memory: keeping.memory.stub,
      mirror: keeping.mirror.stub,
      machines: machineSide.machineList,
    }),
    followed: {
      gate: objects.gate,
      machines: machineSide.machines,
      find,
      isLetIn: async (principal) => (await scopesOf(principal, callers.auth)) !== undefined,
      origin,
      key: stateKey,
      later,
    } satisfies TaskPorts,
    stateKey,
    /** True where no edge of a platform keeps the connections of clients. */
    standsAlone: !env.CLIENT_ADDRESS_HEADER,
    report,
  };
}
