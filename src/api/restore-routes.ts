import { Hono } from 'hono';
import * as z from 'zod';
import type { Failure } from '../core/failure.ts';
import type { GateStub } from '../gate/gate-stub.ts';
import { restoredCall } from '../gate/restored-ledger.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { Memory } from '../memory/memory-port.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const number = z.int().min(0);
const checkpoint = z.strictObject({ seq: number, head: hash, at: number, signature: z.string().max(200) });
const entry = z.strictObject({
  ...{ seq: number, file: z.string().max(100), line: number, idem: z.string().max(200) },
  ...{ body: z.string(), at: number, prev: hash, hash },
});

const step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('begin'), log: z.strictObject({ total: number, head: hash }) }),
  z.strictObject({ do: z.literal('take'), entries: z.array(entry).max(2_000) }),
  z.strictObject({ do: z.literal('calls'), calls: z.array(restoredCall).max(2_000) }),
  z.strictObject({ do: z.literal('end'), checkpoints: z.array(checkpoint).max(100_000) }),
]);

/** Two thousand entries of a usual length, and far less than an isolate can hold. */
const MAX_STEP_BYTES = 16 * 1024 * 1024;

/**
 * Takes a backup, step by step, into a gateway that nobody has used. Only its owner may do that, after a
 * fresh proof.
 */
export function restoreRoutes(ports: { auth: AuthPorts; memory: Memory; gate(): GateStub }): Hono {
  const { auth, memory, gate } = ports;
  const app = new Hono();
  app.post('/', (c) =>
    ownerOnly(auth)(c, async () => {
      const body = await bodyOf(c.req.raw, step, MAX_STEP_BYTES);
      if ('failure' in body) return failed(body.failure);
      const asked = body.value;
      if (asked.do === 'calls') {
        if (!(await memory.stub().isRestoring())) return failed(refused('no restore has begun'));
        const answer = await gate().restoreCalls(asked.calls);
        return answer.refused === null
          ? ok({ taken: asked.calls.length })
          : failed(refused(`call ${answer.refused} differs from the one here`));
      }
      if (asked.do === 'begin' && !(await memory.stub().isRestoring())) {
        const used = await usedGate(gate());
        if (used) return failed(refused(used));
      }
      const answer = await memory.restore(asked);
      return answer.kind === 'refused' ? failed(refused(answer.because)) : ok({ seq: answer.seq });
    }),
  );
  return app;
}

/**
 * Names a sign that the gate was used. Calls are no sign, because a gateway that checks itself makes some.
 */
async function usedGate(gate: GateStub): Promise<string | undefined> {
  if ((await gate.rules()).length > 0) return 'it has rules already';
  const { entries } = await gate.ledger({ before: 0, limit: 1 });
  return entries.length > 0 ? 'a ledger was restored here already' : undefined;
}

function refused(because: string): Failure {
  return {
    code: 'not_restored',
    http_status: 409,
    message: `The backup cannot be restored here: ${because}.`,
    suggestion: 'Restore into a gateway that was set up afresh, such as `bowline up --state <new folder>`.',
  };
}
