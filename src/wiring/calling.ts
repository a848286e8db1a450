import { catalogue } from '../../contracts/index.ts';
import { systemClock } from '../core/clock.ts';
import { toolSet } from '../core/tools.ts';
import { announcer } from '../gate/announce.ts';
import { gateDoor } from '../gate/gate-door.ts';
import type { HostPorts } from '../joined/host-ports.ts';
import { joinedTools } from '../joined/joined-list.ts';
import { makeHost } from '../joined/make-host.ts';
import { chatBy } from '../language/settings.ts';
import { MACHINE_MODEL_BASE, machineModelIn, modelFetch } from '../machines/model-fetch.ts';
import { resourceTools } from '../surfaces/resource-tools.ts';
import { fateOf } from '../tools/fate.ts';
import { handlers, previews } from '../tools/registry.ts';
import { outwardFetch, serviceFetch } from '../web/outbound.ts';
import { makeWebPorts } from '../web/web-ports.ts';
import type { Parts } from './common.ts';
import type { keepingPorts } from './keeping.ts';
import type { machinePorts } from './machine-side.ts';
import { report } from './report.ts';

/** The original fetch, before the worker guards the global one. The users below check their own addresses. */
const unguarded = globalThis.fetch;

type Wired = ReturnType<typeof keepingPorts> & ReturnType<typeof machinePorts>;

/** Wires every tool, our own and those of joined servers, behind the one door for all calls. */
export function callingPorts(
  { env, origin, objects, later }: Parts,
  { memory, mirror, events, machines, machineList }: Wired,
) {
  const { gate } = objects;
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
  const outward = outwardFetch(env, unguarded);
  const services = serviceFetch(env, unguarded);
  const web = makeWebPorts(env, { guarded: outward, open: services, ai: env.AI });
  const onMachine = machineModelIn(env.LANGUAGE_URL ?? '');
  /** The language model, if one is set. */
  const chat = onMachine
    ? chatBy({ ...env, LANGUAGE_URL: MACHINE_MODEL_BASE }, modelFetch(onMachine, machines, report))
    : chatBy(env, services);
  // The same object. Its types are written out, because those of RPC lose schemas on the way.
  const hostGate = gate as unknown as HostPorts['gate'];
  const joining = { origin, gate: hostGate, machines, door, events, report };
  const host = makeHost({ ...joining, outward, open: services, devOrigins: env.DEV_FETCH_ORIGINS });
  const work = { clock: systemClock, memory, mirror, machines, origin, ...web, chat };
  const tools = toolSet(
    catalogue,
    handlers,
    door,
    { ...work, machineList: { machines: machineList } },
    previews,
  );
  return {
    door,
    tools,
    chat,
    host,
    joined: joinedTools(host),
    resourceTools: resourceTools(door, { memory, mirror }),
  };
}
