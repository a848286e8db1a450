import { Hono } from 'hono';
import * as z from 'zod';
import type { Caller } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import { type AskPorts, ask } from '../joined/ask.ts';

const askBody = z.strictObject({
  question: z.string().trim().min(1).max(4_000),
  summary: z.boolean().default(false),
});

interface AskRoutePorts extends AskPorts {
  callerOf(request: Request): Promise<Caller | undefined>;
  readonly challenges: { unauthorized(request: Request): string };
}

/** Serves `POST /host/ask`: one question, at most one tool. */
export function askRoute({ callerOf, challenges, ...ports }: AskRoutePorts): Hono {
  const app = new Hono();
  app.post('/host/ask', async (c) => {
    const caller = await callerOf(c.req.raw);
    if (!caller) {
      const refused = failed(doorFailure('unauthorized'));
      refused.headers.set('www-authenticate', challenges.unauthorized(c.req.raw));
      return refused;
    }
    const body = await bodyOf(c.req.raw, askBody);
    if ('failure' in body) return failed(body.failure);
    const { question, summary } = body.value;
    const answer = await ask(question, summary, { ...caller, signal: c.req.raw.signal }, ports);
    if (!('failure' in answer)) return ok(answer);
    const { failure, refused_tools } = answer;
    return Response.json({ ...failure, refused_tools }, { status: failure.http_status });
  });
  return app;
}
