import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Result } from '../core/call.ts';
import type { MachinePort } from './machine-port.ts';

/** One step on the way from the gateway to a tool. */
export interface Hop {
  readonly name: string;
  /** `not reached` if the way is broken before it. */
  readonly state: 'good' | 'broken' | 'not reached';
  readonly ms: number | null;
  readonly says: string;
}

interface Ports {
  readonly object: Pick<MachinePort, 'status' | 'ping'>;
  /** Runs a tool that reads and changes nothing on the machine. */
  tool(): Promise<Result>;
  now(): number;
}

const NAMES = ['The machine’s object', 'Its socket', 'The bridge', 'A tool'] as const;

/** Tries the way of a call step by step, up to the first step that does not answer. */
export async function pathHealth({ object, tool, now }: Ports): Promise<Hop[]> {
  const hops: Hop[] = [];
  const good = (ms: number | null, says: string) =>
    hops.push({ name: NAMES[hops.length] ?? '', state: 'good', ms, says });
  const broken = (says: string): Hop[] => [
    ...hops,
    { name: NAMES[hops.length] ?? '', state: 'broken', ms: null, says },
    ...NAMES.slice(hops.length + 1).map((name) => ({
      name,
      state: 'not reached' as const,
      ms: null,
      says: '',
    })),
  ];

  const asked = now();
  const status = await object.status().catch(() => undefined);
  if (!status) return broken('Its object gave no answer. Try again in a moment.');
  good(now() - asked, 'Answers.');

  if (!status.online) return broken('Not connected. See what `bowline service status` says on the machine.');
  const quiet = status.lastSeen === null ? null : Math.max(0, Math.round((now() - status.lastSeen) / 1_000));
  good(null, quiet === null ? 'Connected.' : `Connected, and heard of ${quiet} s ago.`);

  const pong = await object.ping();
  if (!pong) return broken('Connected, but it does not answer. Restart it with `bowline connect`.');
  good(pong.ms, `Answers, and offers ${pong.tools} tools.`);

  const called = now();
  const result = await tool();
  if (result.kind === 'failed') return broken(`${result.failure.message} ${result.failure.suggestion}`);
  if (result.kind !== 'ok') return broken('It needs an approval first.');
  good(now() - called, 'Listed the first open folder, through the same door as every call.');
  return hops;
}

/** Gives the call that shows that tools answer. */
export function tryATool(
  tools: ReadonlyMap<
    string,
    { readonly contract: AnyContract; call(args: unknown, caller: Caller): Promise<Result> }
  >,
  machine: string,
  caller: Caller,
): Promise<Result> {
  const tool = tools.get('list_dir');
  if (!tool) throw new Error('The catalogue has no list_dir.');
  return tool.call({ path: '.', machine }, caller);
}
