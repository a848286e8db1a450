import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCRequest,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Caller } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import { doorFailure } from '../core/failure.ts';
import { isRecord } from '../core/is-record.ts';
import { MinuteCounts, untilNextMinute } from '../gate/minute-counts.ts';
import { render } from './mcp-render.ts';
import { guarded, refused } from './mcp-serve-offers.ts';
import {
  declaresTasks,
  TASK_KEPT_MS,
  TASKS,
  type TaskBegun,
  type TaskPort,
  type TaskState,
} from './tasks.ts';

/** The time between two questions about a task, as clients are told. Each question is a request of the platform's. */
const POLL_MS = 2_000;
/** The same after the first minute of a task. */
const SLOW_POLL_MS = 5_000;
const FAST_FOR_MS = 60_000;
/** Twenty tasks, each asked about every two seconds. */
const MAX_PER_MINUTE = 600;

interface Exchange {
  callerFor(ctx: ServerContext, about: string): Caller;
  report(error: unknown): void;
}

type Act = (taskId: string, caller: Caller, ctx: ServerContext) => Promise<Record<string, unknown>>;

/** Prepares once what serves tasks to every request of 2026. */
export function prepareTasks(tasks: TaskPort) {
  const asked = new MinuteCounts();
  const params = z.looseObject({ taskId: z.string() });
  return (server: Server, exchange: Exchange): void => {
    const serve = (method: string, act: Act) =>
      server.setRequestHandler(method, { params }, async ({ taskId }, ctx) => {
        requireTasks(ctx);
        const caller = exchange.callerFor(ctx, method);
        const now = Date.now();
        if (asked.of(caller.principal, now) >= MAX_PER_MINUTE)
          throw refused(doorFailure('rate_limited', { retryAfter: untilNextMinute(now) / 1_000 }));
        asked.add(caller.principal, now);
        return guarded(exchange, () => act(taskId, caller, ctx));
      });
    serve('tasks/get', async (taskId, caller) => {
      const state = await tasks.get(taskId, caller);
      if (!state) throw noSuchTask();
      return detailed(taskId, state);
    });
    serve('tasks/update', async (taskId, caller, { mcpReq }) =>
      acknowledged(await tasks.answer(taskId, mcpReq.inputResponses ?? {}, caller)),
    );
    serve('tasks/cancel', async (taskId, caller) => acknowledged(await tasks.cancel(taskId, caller)));
  };
}

/** Answers a call with the task that it became. */
export function created({ taskId, state }: TaskBegun) {
  // The SDK wants content here. `TaskServer` takes it out again.
  return { resultType: 'task', ...fieldsOf(taskId, state), content: [] };
}

/** Tells if a client says with this request that it can follow tasks. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const capabilities = isRecord(mcpReq.envelope) ? mcpReq.envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return declaresTasks(capabilities);
}

/** Refuses a request that makes sense only for clients that can follow tasks. */
export function requireTasks(ctx: ServerContext): void {
  if (!takesTasks(ctx)) throw needsTasks();
}

/** Finds a wish for news of tasks by a client that does not say that it can follow tasks. Gives its refusal. */
export function refusedNews(body: unknown): ProtocolError | undefined {
  const params = isRecord(body) && isRecord(body.params) ? body.params : {};
  const wished = isRecord(params.notifications) && params.notifications.taskIds !== undefined;
  const meta = isRecord(params._meta) ? params._meta : {};
  return wished && !declaresTasks(meta[CLIENT_CAPABILITIES_META_KEY]) ? needsTasks() : undefined;
}

function needsTasks(): ProtocolError {
  const requiredCapabilities = { extensions: { [TASKS]: {} } };
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities },
    `This needs a client that declares ${TASKS}.`,
  );
}

function noSuchTask(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'There is no such task of yours. A task can be asked about for 24 hours after its call.',
  );
}

function acknowledged(isKnown: boolean) {
  if (!isKnown) throw noSuchTask();
  return {};
}

function detailed(taskId: string, state: TaskState) {
  const fields = fieldsOf(taskId, state);
  switch (state.status) {
    case 'completed':
      return { ...fields, result: { resultType: 'complete', ...render(state.result) } };
    case 'failed':
      return { ...fields, error: state.error };
    case 'input_required':
      return { ...fields, inputRequests: state.requests };
    default:
      return fields;
  }
}

function fieldsOf(taskId: string, { status, message, createdAt, updatedAt }: TaskState) {
  return {
    taskId,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: TASK_KEPT_MS,
    pollIntervalMs: isWithin(FAST_FOR_MS, createdAt, Date.now()) ? POLL_MS : SLOW_POLL_MS,
  };
}

type Handle<Answer> = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Answer>;

/** The SDK's server, but the answer that names a task keeps its form. The SDK would add the content of a result. */
export class TaskServer extends Server {
  protected override _wrapHandler<Answer extends { [key: string]: unknown }>(
    method: string,
    handler: Handle<Answer>,
  ): Handle<Answer> {
    const wrapped = super._wrapHandler(method, handler) as Handle<Answer>;
    if (method !== 'tools/call') return wrapped;
    return async (request, ctx) => {
      const answer = await wrapped(request, ctx);
      if (answer.resultType !== 'task') return answer;
      const { content: _, ...task } = answer;
      return task as Answer;
    };
  }
}
