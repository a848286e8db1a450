import { type Context, Hono } from 'hono';
import type { Scope, TokenScope } from '../../contracts/contract.ts';
import { type Caller, outputJson, type Result } from '../core/call.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import { JsonRefused, parseStrictJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { Tool, ToolSet } from '../core/tools.ts';
import { BodyTooLarge, readBody, refuseLongStructure } from '../http/body.ts';
import { bodyLimitOf } from '../http/body-limit.ts';
import { BodyTooSlow } from '../http/slow-body.ts';
import { listWith } from '../joined/joined-lists.ts';
import type { JoinedOffer } from '../joined/joined-offer.ts';
import { openAiFunction, registryEntry } from './describe.ts';
import { openApi } from './openapi.ts';

interface RestOptions {
  readonly tools: ToolSet;
  /** More tools, which come and go. */
  readonly joined?: JoinedOffer;
  /** Finds the sender of a request; `undefined` without a valid token. */
  callerOf(request: Request): Promise<Caller | undefined>;
  /** The caller of public tools without a token. */
  readonly anybody: Caller;
  /** The `WWW-Authenticate` headers of refusals. */
  readonly challenges: {
    unauthorized(request: Request): string;
    insufficientScope(held: ReadonlySet<TokenScope>, needed: Scope): string;
  };
}

/** Serves the catalogue as plain HTTP: a POST for each tool, and descriptions of all. */
export function rest({ tools, joined, callerOf, anybody, challenges }: RestOptions): Hono {
  const app = new Hono();
  const all = { tools, joined };
  // Descriptions change only with the joined servers, so write each one once.
  const list = listWith(all, (contracts) => JSON.stringify({ tools: contracts.map(registryEntry) }));
  const functions = listWith(all, (contracts) => JSON.stringify(contracts.map(openAiFunction)));
  const spec = listWith(all, (contracts) => JSON.stringify(openApi(contracts)));
  app.get('/tools', async () => json((await list()).made));
  app.get('/openai/functions.json', async () => json((await functions()).made));
  app.get('/openapi.json', async () => json((await spec()).made));

  app.post('/tools/:name', async (c) => {
    const name = c.req.param('name');
    const tool = tools.get(name) ?? (await joined?.find(name));
    if (!tool) return failed(unknownTool(name, tools));
    const caller = await callerFor(tool, c, callerOf, anybody);
    if (!caller) {
      return failed(doorFailure('unauthorized'), { 'www-authenticate': challenges.unauthorized(c.req.raw) });
    }
    const args = await argumentsOf(
      c.req.raw,
      caller === anybody ? MAX_ANONYMOUS_BYTES : bodyLimitOf(tool, caller),
    );
    if ('failure' in args) return failed(args.failure);
    const result = await tool.call(args.value, { ...caller, signal: c.req.raw.signal });
    const response = answer(result);
    if (result.kind === 'failed' && result.failure.code === 'insufficient_scope') {
      response.headers.set(
        'www-authenticate',
        challenges.insufficientScope(caller.scopes, tool.contract.scope),
      );
    }
    return response;
  });
  app.all('/tools/:name', () => {
    const detail = {
      message: 'Tools are called with POST.',
      suggestion: 'Send the arguments as the JSON body of a POST.',
    };
    return failed({ ...doorFailure('invalid_input', detail), http_status: 405 }, { allow: 'POST' });
  });
  return app;
}

async function callerFor(
  tool: Tool,
  c: Context,
  callerOf: RestOptions['callerOf'],
  anybody: Caller,
): Promise<Caller | undefined> {
  // A sent token must be good, even where none is needed: its sender should hear of the mistake.
  if (c.req.header('authorization') !== undefined) return callerOf(c.req.raw);
  return tool.contract.isPublic ? anybody : undefined;
}

/** The largest body from a sender without a token. */
const MAX_ANONYMOUS_BYTES = 64 * 1024;

const ONE_OBJECT = 'Send the arguments as one JSON object in UTF-8.';

async function argumentsOf(
  request: Request,
  maxBytes: number,
): Promise<{ value: unknown } | { failure: Failure }> {
  const type = request.headers.get('content-type');
  try {
    const text = await readBody(request, maxBytes);
    if (text === '') return { value: {} };
    if (!type || !/^application\/json\s*(;|$)/i.test(type)) {
      const message = 'The body has to be JSON, sent with content-type application/json.';
      return {
        failure: { ...doorFailure('invalid_input', { message, suggestion: ONE_OBJECT }), http_status: 415 },
      };
    }
    refuseLongStructure(text);
    return { value: parseStrictJson(text) };
  } catch (error) {
    return { failure: bodyFailure(error, maxBytes) };
  }
}

function bodyFailure(error: unknown, maxBytes: number): Failure {
  if (error instanceof BodyTooLarge) {
    const message = error.message || `The request body is over ${maxBytes} bytes.`;
    return {
      ...doorFailure('invalid_input', { message, suggestion: 'Send less at a time.' }),
      http_status: 413,
    };
  }
  if (error instanceof BodyTooSlow)
    return {
      ...doorFailure('invalid_input', { message: error.message, suggestion: 'Send it again.' }),
      http_status: 408,
    };
  const message = error instanceof JsonRefused ? error.message : 'The request body could not be read.';
  return doorFailure('invalid_input', { message, suggestion: ONE_OBJECT });
}

function answer(result: Result): Response {
  switch (result.kind) {
    case 'ok':
      return json(outputJson(result));
    case 'failed':
      return failed(result.failure);
    case 'needs_input':
      // Nobody can be asked in the middle of a plain HTTP call.
      return failed(doorFailure('approval_required'));
  }
}

function failed(failure: Failure, headers: Record<string, string> = {}): Response {
  return json(JSON.stringify(failure), failure.http_status, {
    ...headers,
    ...(failure.retry_after === undefined ? {} : { 'retry-after': String(failure.retry_after) }),
  });
}

function json(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

function unknownTool(name: string, tools: ToolSet): Failure {
  const close = nearest(name, tools.keys());
  return doorFailure('unknown_tool', {
    message: `There is no tool called ${JSON.stringify(name.slice(0, 64))}.`,
    ...(close ? { suggestion: `Did you mean ${close}?` } : {}),
  });
}
