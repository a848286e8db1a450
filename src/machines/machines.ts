import type { AnyContract, Output } from '../../contracts/contract.ts';
import type { Refusal, Result } from '../core/call.ts';
import type { Call } from '../core/handler.ts';
import { machineFailure, offline } from '../core/machine-failure.ts';
import { failureFrom, parseOutcome, refusalNaming } from './answer.ts';
import type { PortableAnswer } from './kept-call.ts';
import { lookOnMachine } from './look.ts';
import type { MachineObject } from './machine-object.ts';
import { type Known, picker } from './pick.ts';
import { placer } from './place.ts';
import type { Machines } from './reach.ts';

/** A machine's object, called from the Worker. */
type MachineStub = DurableObjectStub<MachineObject>;

interface MachinesPorts {
  stub(id: string): MachineStub;
  /** Lists the owner's paired machines. */
  registry(): Promise<readonly Known[]>;
  later(work: Promise<unknown>): void;
  report(error: unknown, where: string): void;
}

/** If the object restarts during a call, just ask again: it has stored everything that must not run twice. */
const ATTEMPTS = 3;
/**
 * The time to wait for the result of a call whose caller follows it by itself. Their request is over by then, and the
 * platform lets it work for no more than 30 seconds after that.
 */
const FOLLOWED_MS = 25_000;

export function makeMachines({ stub, registry, later, report }: MachinesPorts): Machines {
  const picking = picker(
    registry,
    (id) => stub(id).status(),
    (error) => report(error, 'machine status'),
  );
  const { all } = picking;

  const machines: Machines = {
    ...placer(picking),
    call: run,
    look: (call, signal) => lookOnMachine(call, signal, machines, report),
    list: async () => {
      const machines = await all();
      return Promise.all(machines.map(async (one) => ({ ...one, status: await stub(one.id).status() })));
    },
    outcome: async (id, principal) => {
      const kept = await onAnyOf(await all(), async ({ id: machine, name }) => {
        const known = await stub(machine).outcome(id, principal);
        return known && { ...known, machine: name };
      });
      if (!kept) return undefined;
      const { stream, ...about } = kept;
      return { ...about, text: stream && (await readText(stream)) };
    },
    running: async (by, principal) =>
      ('id' in by
        ? await onAnyOf(await all(), ({ id: machine }) => stub(machine).running(by, principal))
        : await stub(by.machine).running({ digest: by.digest }, principal)) ?? undefined,
    cancel: async (id, principal) => {
      const machines = await all();
      await Promise.all(machines.map(({ id: machine }) => stub(machine).cancelOf(id, principal)));
    },
  };
  return machines;

  async function run<C extends AnyContract>(contract: C, call: Call<C>): Promise<Result<Output<C>>> {
    const { machine, text, digest, seen, reason } = call.prepared;
    if (!machine) throw new Error(`${contract.wireName} was prepared for no machine.`);
    const effect = contract.risk !== 'read_only';
    const { begun } = effect ? call.caller : {};
    const asked = {
      id: call.id,
      tool: contract.wireName,
      principal: call.caller.principal,
      client: call.caller.client.slice(0, 256),
      text,
      digest,
      ...(seen === undefined ? {} : { seen }),
      ...(reason === undefined ? {} : { reason }),
      effect,
      timeoutMs: contract.limits.timeoutMs,
      ...(begun ? { holdMs: FOLLOWED_MS } : {}),
    };
    const { signal } = call;
    const cancel = () =>
      later(
        stub(machine.id)
          .cancel(call.id)
          .catch((error: unknown) => report(error, 'cancel')),
      );
    signal.addEventListener('abort', cancel, { once: true });
    begun?.(call.id);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          const progress = call.caller.progress ? call.progress : undefined;
          const answer = await stub(machine.id).call(asked, progress);
          return await resultOf(contract, call, machine.name, answer);
        } catch (error) {
          if (attempt === ATTEMPTS || signal.aborted) throw error;
        }
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** Asks about one call on all machines at once. Gives the answer of the one that knows it. */
async function onAnyOf<T>(
  machines: readonly Known[],
  ask: (machine: Known) => Promise<T | null>,
): Promise<T | undefined> {
  const asked = await Promise.allSettled(machines.map(ask));
  const known = asked.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))[0];
  // Say "no such call" only if every machine's object said so.
  const failed = asked.find((one) => one.status === 'rejected');
  if (!known && failed) throw failed.reason;
  return known;
}

async function resultOf<C extends AnyContract>(
  contract: C,
  call: Call<C>,
  name: string,
  answer: PortableAnswer,
): Promise<Result<Output<C>>> {
  switch (answer.kind) {
    case 'result':
      return outcome(contract, call, new TextDecoder().decode(answer.body));
    case 'stream':
      return outcome(contract, call, await readText(answer.stream));
    case 'offline':
      return offline(name, answer.since);
    case 'revoked':
      return machineFailure('machine_changed', { message: `${name} is not paired any more.` });
    case 'running':
      return stillRunning(call.id, name);
    case 'unknown':
      return refusalNaming('outcome_unknown', call.id);
    case 'conflict':
      throw new Error(`The call id ${call.id} belongs to another call.`);
    case 'not_run':
      return notRun(answer.why, call.id, name);
  }
}

function outcome<C extends AnyContract>(contract: C, call: Call<C>, text: string): Result<Output<C>> {
  const parsed = parseOutcome(text);
  // The caller of this handler parses the output against the contract.
  if (parsed?.kind === 'ok') return call.ok(parsed.output as Output<C>);
  const failure = parsed && failureFrom(contract, parsed);
  if (!failure) return refusalNaming('malformed_output', call.id);
  return { kind: 'failed', failure: { ...failure, call_id: call.id } };
}

function stillRunning(id: string, name: string): Refusal {
  const { failure } = machineFailure('still_running', {
    message: `The call is still running on ${name} (call ${id}).`,
    suggestion: `Ask for its outcome with \`get_call\` and the call id ${id}.`,
  });
  return { kind: 'failed', failure: { ...failure, call_id: id } };
}

function notRun(why: Extract<PortableAnswer, { kind: 'not_run' }>['why'], id: string, name: string): Refusal {
  switch (why) {
    case 'asked':
      return refusalNaming('cancelled', id, { message: 'The call was cancelled before it began.' });
    case 'busy':
      return refusalNaming('rate_limited', id, {
        message: `${name} already has as many calls as it takes.`,
        retryAfter: 5,
      });
    case 'draining':
      return machineFailure('machine_offline', {
        message: `${name} is shutting down, and did not run the call.`,
      });
    case 'disk':
      return refusalNaming('disk_full', id, {
        message: `${name} cannot write to its disk, and so did not run the call.`,
        suggestion: `See whether the disk of ${name} is full, then call again.`,
      });
  }
}

async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of stream) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
