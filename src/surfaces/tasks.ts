import type { InputRequests } from '@modelcontextprotocol/server';
import type { Caller, Refusal, Result, Success } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';
import type { Tool } from '../core/tools.ts';

/** The protocol's name for tasks, in the capabilities of both sides. */
export const TASKS = 'io.modelcontextprotocol/tasks';
/** The time for which a task can be asked about. */
export const TASK_KEPT_MS = 24 * 60 * 60 * 1_000;

/** The state of a call that its caller follows as a task. */
export type TaskState = {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly message?: string;
} & (
  | { readonly status: 'working' | 'cancelled' }
  | { readonly status: 'input_required'; readonly requests: InputRequests }
  | { readonly status: 'completed'; readonly result: Success | Refusal }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } }
);

/** A call that goes on after its answer. */
export interface TaskBegun {
  readonly kind: 'task';
  readonly taskId: string;
  readonly state: TaskState;
}

/** The calls that go on after their answer. Every method knows only the caller's own. */
export interface TaskPort {
  /** Runs a call. Gives its end if that comes soon, or the task to ask about. */
  run(tool: Tool, args: unknown, caller: Caller): Promise<Result | TaskBegun>;
  get(taskId: string, caller: Caller): Promise<TaskState | undefined>;
  /** Takes answers to what a task asks. Gives `false` for an unknown task, as does `cancel`. */
  answer(taskId: string, responses: Readonly<Record<string, unknown>>, caller: Caller): Promise<boolean>;
  cancel(taskId: string, caller: Caller): Promise<boolean>;
  /** Tells if a tool can be called only as a task. */
  needsTask?(tool: string): boolean;
}

/** Tells if a client's capabilities say that it can follow tasks. */
export function declaresTasks(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  return isRecord(extensions) && isRecord(extensions[TASKS]);
}
