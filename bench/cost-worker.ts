import type { Env } from '../src/wiring/env.ts';
import * as gateway from '../src/worker.ts';
import { cost, counted, countRows, takeCost } from './cost-counters-worker.ts';
import linked from './link-worker.ts';

export { BareLink } from './link-worker.ts';

export class OwnerObject extends gateway.OwnerObject {
  constructor(state: DurableObjectState, env: Env) {
    countRows(state);
    super(state, counted(env));
  }
}

export class GateObject extends gateway.GateObject {
  constructor(state: DurableObjectState, env: Env) {
    countRows(state);
    super(state, counted(env));
  }
}

export class MemoryLog extends gateway.MemoryLog {
  constructor(state: DurableObjectState, env: Env) {
    countRows(state);
    super(state, counted(env));
  }
}

export class EventsObject extends gateway.EventsObject {}

export class RepoMirror extends gateway.RepoMirror {
  constructor(state: DurableObjectState, env: Env) {
    countRows(state);
    super(state, counted(env));
  }
}

export class MachineObject extends gateway.MachineObject {
  constructor(state: DurableObjectState, env: Env) {
    countRows(state);
    super(state, counted(env));
  }

  override webSocketMessage(...heard: Parameters<gateway.MachineObject['webSocketMessage']>) {
    cost.messages += 1;
    return super.webSocketMessage(...heard);
  }
}

/** The gateway with counters. `/cost` gives what was counted since the last time. */
export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === '/cost') return Response.json(takeCost());
    cost.requests += 1;
    return linked.fetch(request, counted(env), context);
  },
} satisfies ExportedHandler<Parameters<typeof linked.fetch>[1]>;
