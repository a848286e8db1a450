import { LINK, type Outcome } from '../../contracts/link.ts';
import type { Caller, Result } from '../../src/core/call.ts';
import { doorFailure, type Failure } from '../../src/core/failure.ts';
import { JsonRefused, parseStrictJson } from '../../src/core/json.ts';
import type { ToolSet } from '../../src/core/tools.ts';
import { digestOfCall } from '../../src/surfaces/digest-of-call.ts';
import type { Ended, Job, Runner } from './machine-link.ts';

const encoder = new TextEncoder();

interface RunnerPorts {
  /** Lets a side say more of who calls; what the gateway says of it is in the job. */
  readonly caller?: (caller: Caller) => Caller;
  report(error: unknown): void;
}

/** Runs a machine's tools for calls that came over the link, each through its own door. */
export function toolRunner(tools: ToolSet, { caller, report }: RunnerPorts): Runner {
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
      runTool(tools, job, caller ? caller(from) : from)
        .catch((error: unknown): Outcome => {
          report(error);
          return outcomeOf(doorFailure('internal_error'));
        })
        .then((outcome) => ended(encode(outcome)))
        .catch(report);
      return () => controller.abort(new Error('The caller does not want it any more.'));
    },
  };
}

async function runTool(tools: ToolSet, job: Job, caller: Caller): Promise<Outcome> {
  const tool = tools.get(job.tool);
  if (!tool) {
    const message = `This machine does not run ${job.tool}.`;
    return outcomeOf(
      doorFailure('unknown_tool', { message, suggestion: 'Use `list_machines` to see what it runs.' }),
    );
  }
  let args: unknown;
  try {
    args = parseStrictJson(job.args);
  } catch (error) {
    if (error instanceof JsonRefused)
      return outcomeOf(doorFailure('invalid_input', { message: error.message }));
    throw error;
  }
  const parsed = tool.contract.input.safeParse(args);
  // What is run is what was decided about, word for word, or it is not run.
  if (!parsed.success || digestOfCall(tool.contract, parsed.data) !== job.digest) {
    return outcomeOf(
      doorFailure('approval_mismatch', {
        message: 'The machine reads this call differently than the gateway does, so it did not run it.',
        suggestion: 'Bring Bowline on the machine and on the gateway to the same version.',
      }),
    );
  }
  return endOf(await tool.call(args, caller));
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
