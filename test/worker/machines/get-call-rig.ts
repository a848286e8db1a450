import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Output } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { LINK } from '../../../contracts/link.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { makeMachines } from '../../../src/machines/machines.ts';
import { onMachine, previewOnMachine } from '../../../src/machines/reach.ts';
import { getCallOutcome } from '../../../src/tools/get-call.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';
import { connect, type Device, type DeviceSocket, encodePiece, enrolDevice } from './device.ts';

const { get_call, run_in_terminal } = catalogue;
type Command = Output<typeof run_in_terminal>;
type Kept = Output<typeof get_call>;

/** What a command that printed something answers. */
export function printed(output: string): Command {
  const { output: example } = run_in_terminal.examples[0];
  return { ...example, files_affected: [], output };
}

/** Two machines behind their tools, the first connected and the second never. */
export async function openMachines() {
  const [near, far] = [await enrolDevice('near'), await enrolDevice('far')];
  const socket = await connect(near);
  const door = new WatchedDoor();
  const later: Promise<unknown>[] = [];
  const broken = new Set<string>();
  const reported: unknown[] = [];
  const machines = makeMachines({
    stub: (id) => {
      const stub = env.MACHINE.get(env.MACHINE.idFromName(id));
      if (!broken.has(id)) return stub;
      const fail = () => Promise.reject(new Error('the object cannot be reached'));
      return new Proxy(stub, { get: () => fail });
    },
    registry: async () => [
      { id: far.id, name: 'far', isDefault: false },
      { id: near.id, name: 'near', isDefault: false },
    ],
    later: (work) => void later.push(work),
    report: (error) => void reported.push(error),
  });
  door.place = machines.place;
  const tools = toolSet(
    { get_call, run_in_terminal },
    { get_call: getCallOutcome, run_in_terminal: onMachine(run_in_terminal) },
    door,
    { machines },
    { run_in_terminal: previewOnMachine },
  );
  const use = (name: string, args: object, caller: Partial<Caller> = {}): Promise<Result> => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`No tool ${name}`);
    return tool.call(args, { ...everyone, ...caller });
  };
  return {
    ...{ near, far, socket, door, broken, reported, machines },
    run: (command = 'true', machine: string | undefined = 'near', caller?: Partial<Caller>) =>
      use('run_in_terminal', { command, machine }, caller),
    ask: (call_id: string, offset = 0, caller?: Partial<Caller>) =>
      use('get_call', { call_id, offset }, caller),
  };
}

export function keptIn(result: Result): Kept {
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return result.output as Kept;
}

/** Everything that `get_call` gives of a call's text, a page at a time. */
export async function readOn(ask: (offset: number) => Promise<Result>): Promise<string[]> {
  const pages: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const { result, next_offset }: Kept = keptIn(await ask(offset));
    pages.push(String(result?.output));
    offset = next_offset;
  }
  return pages;
}

/** Answers the next call with a result, in pieces as they are let in. */
export async function answerNext(socket: DeviceSocket, outcome: unknown) {
  const { n, id } = await socket.next('call');
  const whole = new TextEncoder().encode(JSON.stringify(outcome));
  for (let at = 0; at < whole.length; at += LINK.piece) {
    if (at > 0) await socket.next('credit');
    const bytes = whole.slice(at, at + LINK.piece);
    socket.sayBytes(encodePiece({ n, isOk: true, at, total: whole.length, bytes }));
  }
  return id;
}

export const ageBy = (device: Device, ms: number) =>
  runInDurableObject(device.stub(), (_, { storage }) =>
    storage.sql.exec('UPDATE call SET finished_at = finished_at - ?', ms),
  );
