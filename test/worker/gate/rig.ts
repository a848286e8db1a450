import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import type { GatePort } from '../../../src/gate/gate-door-ports.ts';
import type { LedgerEntry, LedgerFilter } from '../../../src/gate/ledger.ts';
import type { OpenApproval } from '../../../src/gate/messages.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { rest } from '../../../src/surfaces/rest.ts';
import { callerNamed, type Desk, deskSet, Happenings, placeAsTold } from '../../support/gate-tools.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';
import { GATEWAY } from '../http.ts';

let calls = 0;

/** The gate's object of that name. */
export const gateNamed = (name: string) => env.GATE.get(env.GATE.idFromName(name));

/**
 * The desk behind a gate of its own, with every way in, as one isolate of the gateway has them. Given a
 * name and a desk, it is another isolate of the same gateway.
 */
export function openRig({
  name = crypto.randomUUID(),
  desk = { runs: [] } as Desk,
  signedWith = stateKey,
  around = (send) => send(),
}: {
  name?: string;
  desk?: Desk;
  signedWith?: string;
  /** Stands around each message about a call. */
  around?: <T>(send: () => Promise<T>) => Promise<T>;
} = {}) {
  const announced = new Happenings<OpenApproval & { request: PreparedCall }>();
  const holds = new Happenings<string>();
  const reported: { error: unknown; where: string }[] = [];
  const late = new Set<Promise<unknown>>();
  const gate = () => gateNamed(name);

  const port = (): GatePort => {
    const stub = gate();
    return {
      admit: (call, endings) => around(async () => stub.admit(call, endings)),
      admitAll: (calls, endings, life) => around(async () => stub.admitAll(calls, endings, life)),
      admitRead: (call, endings, life) => around(async () => stub.admitRead(call, endings, life)),
      tell: (reads) => around(async () => stub.tell(reads)),
      settle: (endings) => around(async () => stub.settle(endings)),
      answered: (id, more) => stub.answered(id, more),
      leave: (id, callId) => stub.leave(id, callId),
      awaitDecision: (id, ms, callId) => {
        const waiting = stub.awaitDecision(id, ms, callId);
        holds.add(id);
        return waiting;
      },
    };
  };
  const tools = deskSet(
    {
      gate: port,
      origin: GATEWAY,
      place: placeAsTold,
      newCallId: () => `call_${++calls}`,
      later: (work) => {
        const done = work.finally(() => late.delete(done));
        late.add(done);
      },
      announce: async (approval, request) => announced.add({ ...approval, request }),
      report: (error, where) => reported.push({ error, where }),
    },
    desk,
  );
  const report = (error: unknown, where: string) => reported.push({ error, where });
  const settled = async () => {
    while (late.size > 0) await Promise.all(late);
  };
  return {
    name,
    desk,
    gate,
    tools,
    /** Approvals that the owner was told of, in order. */
    announced,
    /** Every time a call was held for an approval, by the approval's id. */
    holds,
    reported,
    mcp: mcpOverHttp({ tools, stateKey: signedWith, report }, { insufficientScope: () => 'Bearer' }),
    rest: rest({
      tools,
      anybody: callerNamed('anybody', { via: 'rest' }),
      callerOf: async (request) =>
        callerNamed(request.headers.get('authorization') ?? '', {
          via: 'rest',
          client: request.headers.get('user-agent') ?? 'tests',
        }),
      challenges: { unauthorized: () => 'Bearer', insufficientScope: () => 'Bearer' },
    }),
    /** What the owner says about an approval. */
    decide: (code: string, decision: 'approve' | 'deny' | 'always' = 'approve') =>
      gate().decide(code, decision, 'the owner', true),
    /** Runs something over the gate's own database. */
    inGate: <T>(act: (sql: SqlStorage) => T): Promise<T> =>
      runInDurableObject(gate(), (_, state) => act(state.storage.sql)),
    /** Waits for everything that is on its way to the gate. */
    settled,
    /** The ledger, newest first, with everything in it that is on its way. */
    ledger: async (filter: LedgerFilter = {}): Promise<readonly LedgerEntry[]> => {
      await settled();
      return (await gate().ledger(filter)).entries;
    },
  };
}

export type Rig = ReturnType<typeof openRig>;
