import type { AnyContract } from '../../../contracts/contract.ts';
import { machineErrors } from '../../../contracts/door-errors.ts';
import { LINK, type Outcome } from '../../../contracts/link.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { doorFailure, type Failure, failureOf } from '../../../src/core/failure.ts';
import { type PreparedCall, readCallText } from '../../../src/core/prepared-call.ts';
import { schemaHash } from '../../../src/core/schema.ts';
import type { ToolSet } from '../../../src/core/tools.ts';
import type { Ended, Job, Runner } from './machine-link.ts';

const encoder = new TextEncoder();

interface RunnerPorts {
  /** The id under which this machine is paired. It runs no call that was prepared for another machine. */
  readonly machine: string;
  /** Adds what this side knows about the caller to what the gateway says in the job. */
  readonly caller?: (caller: Caller) => Caller;
  report(error: unknown): void;
}

/** Runs a machine's tools for calls over the link, each through its own door. */
export function toolRunner(tools: ToolSet, { machine, caller, report }: RunnerPorts): Runner {
  return {
    tools: tools.size,
    isEffect: (tool) => (tools.get(tool)?.contract.risk ?? 'dangerous') !== 'read_only',
    run: (job, progress, ended) => {
      const controller = new AbortController();
      const from: Caller = {
        principal: job.principal,
        client: job.client,
        via: 'mcp',
        scopes: new Set(['machine']),
        signal: controller.signal,
        progress,
      };
      runTool(tools, job, caller ? caller(from) : from, machine)
        .catch((error: unknown): Outcome => {
          report(error);
          return outcomeOf(doorFailure('internal_error'));
        })
        .then((outcome) => ended(encode(outcome)))
        .catch(report);
      return () => controller.abort(new Error('The caller cancelled the call.'));
    },
  };
}

async function runTool(tools: ToolSet, job: Job, caller: Caller, machine: string): Promise<Outcome> {
  const tool = tools.get(job.tool);
  if (!tool) {
    const message = `This machine does not run ${job.tool}.`;
    return outcomeOf(
      doorFailure('unknown_tool', { message, suggestion: 'Use `list_machines` to see what it runs.' }),
    );
  }
  const call = preparedCall(tool.contract, job, caller, machine);
  return call === 'another machine'
    ? outcomeOf(failureOf('machine_changed', machineErrors.machine_changed))
    : endOf(call ? await tool.run(call) : { kind: 'failed', failure: OTHERWISE_READ });
}

const OTHERWISE_READ = doorFailure('approval_mismatch', {
  message: 'The machine reads this call differently than the gateway does, so it did not run it.',
  suggestion: 'Install the same version of Bowline on the machine and on the gateway.',
});

/** Gives exactly the call that was decided about, or nothing if this machine reads it differently. */
export function preparedCall(
  contract: AnyContract,
  { id, text, digest, seen, reason }: Pick<Job, 'id' | 'text' | 'digest' | 'seen' | 'reason'>,
  caller: Caller,
  machine: string,
): PreparedCall | 'another machine' | undefined {
  const told = readCallText(text, digest);
  if (!told || told.tool !== contract.wireName || told.schemaHash !== schemaHash(contract)) return undefined;
  if (told.machine !== machine) return 'another machine';
  const { params, args, root } = told;
  const parsed = contract.input.safeParse(root === null ? params : { ...params, root });
  if (!parsed.success) return undefined;
  return {
    ...{ callId: id, contract, caller, input: parsed.data, params, args, text, digest },
    ...(seen === undefined ? {} : { seen }),
    ...(reason === undefined ? {} : { reason }),
    machine: { id: machine, name: machine },
    root: root === null ? null : { name: root, isDefault: params.root === undefined },
  };
}

function endOf(result: Result): Outcome {
  if (result.kind === 'ok') return { kind: 'ok', output: result.output };
  if (result.kind === 'failed') return outcomeOf(result.failure);
  // Nobody can be asked over the link.
  return outcomeOf(
    doorFailure('internal_error', { message: 'The tool asked a question that the link cannot carry.' }),
  );
}

function outcomeOf({ code, message, suggestion, retry_after, raw }: Failure): Outcome {
  const failure = { code, message: message.slice(0, 8_192), suggestion: suggestion.slice(0, 8_192) };
  const more = {
    ...(retry_after === undefined ? {} : { retry_after }),
    ...(raw === undefined ? {} : { raw }),
  };
  return { kind: 'failed', failure: { ...failure, ...more } };
}

function encode(outcome: Outcome): Ended {
  const bytes = encoder.encode(JSON.stringify(outcome));
  if (bytes.length <= LINK.result) return { ok: outcome.kind === 'ok', bytes };
  const message = `The answer is ${bytes.length} bytes, more than the link carries.`;
  return encode(
    outcomeOf(doorFailure('malformed_output', { message, suggestion: 'Ask for less at a time.' })),
  );
}
