import { Hono } from 'hono';
import * as z from 'zod';
import { doorFailure } from '../core/failure.ts';
import { verifyProof, witnessText } from '../core/machine-proof.ts';
import { readBody } from '../http/body.ts';

interface WitnessPorts {
  readonly origin: string;
  memory(): {
    headAndHash(
      seq: number,
    ): PromiseLike<{ readonly seq: number; readonly head: string; readonly before: string | null }>;
  };
  /** Gives the key of a paired machine. */
  publicKeyOf(machine: string): Promise<string | undefined>;
}

const question = z.strictObject({
  machine: z.string().max(64),
  /** The time of the question, so that an overheard one soon becomes useless. */
  at: z.int(),
  /** The length of the log when the machine last looked. */
  seq: z.int().min(0),
  signature: z.string().max(128),
});

const FRESH_MS = 5 * 60_000;
/** Far more than a question needs, because anybody may send one. */
const MAX_BYTES = 4_096;

/** Shows the owner's machines the head of the memory: only hashes, and only to holders of a paired key. */
export function witnessRoutes({ origin, memory, publicKeyOf }: WitnessPorts): Hono {
  const app = new Hono();
  app.post('/', async (c) => {
    const asked = question.safeParse(await jsonOf(c.req.raw));
    if (!asked.success) return refuse('invalid_input', 'This is not a valid question about the memory.');
    const { machine, at, seq, signature } = asked.data;
    if (Math.abs(Date.now() - at) > FRESH_MS) {
      return refuse(
        'unauthorized',
        "The question is too old or from the future; is this machine's clock right?",
      );
    }
    const key = await publicKeyOf(machine);
    const text = witnessText({ origin, machine, at, seq });
    if (!key || !(await verifyProof(key, text, signature))) {
      return refuse('unauthorized', 'No paired machine has signed this.');
    }
    return c.json(await memory().headAndHash(seq));
  });
  return app;
}

async function jsonOf(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await readBody(request, MAX_BYTES));
  } catch {
    // Too long, cut off or not JSON: not a question in any case.
    return undefined;
  }
}

function refuse(code: 'invalid_input' | 'unauthorized', message: string): Response {
  const failure = doorFailure(code, { message });
  return Response.json(failure, { status: failure.http_status });
}
