import { describe, expect, it } from 'vitest';
import type { Told, Violation } from '../soak/history.ts';
import type { Lane } from '../soak/lane.ts';
import { randomFrom } from '../soak/random.ts';
import { readTerminal, typeInTerminal } from '../soak/terminal-jobs.ts';

/** How a machine behaves that has one lasting terminal, and what it does wrong. */
interface Behaviour {
  /** Loses bytes of the output from here on, once they were given. */
  readonly losesFrom?: number;
  /** Says honestly that they are missing. */
  readonly saysSo?: boolean;
  readonly diskWasFull?: boolean;
  /** Ends the session by itself, after so many reads. */
  readonly endsAfter?: number;
  readonly withBridge?: boolean;
  readonly isUnlisted?: boolean;
}

/** Runs a job of a client whose machine behaves like that, and gives what it notes. */
async function notesOf(job: typeof readTerminal, behaviour: Behaviour = {}): Promise<string[]> {
  const {
    losesFrom = Number.POSITIVE_INFINITY,
    saysSo = false,
    endsAfter = Number.POSITIVE_INFINITY,
  } = behaviour;
  const notes: Violation[] = [];
  let [reads, printed, name] = [0, '', ''];
  const soFar = { bridges: 1, fullDisks: 0 };
  const answer = (tool: string, input: Record<string, unknown>): Told => {
    if (tool === 'terminal_start') {
      name = String(input.session);
      const token = /^: (\S+);/.exec(String(input.command))?.[1];
      printed = Array.from({ length: 3_000 }, (_, n) => `${n + 1} ${token}\n`).join('');
      if (behaviour.diskWasFull) soFar.fullDisks += 1;
    }
    if (tool === 'terminal_list') {
      const sessions = behaviour.isUnlisted ? [] : [{ session: name, running: true }];
      return { is: 'ok', output: { metadata: { sessions } } };
    }
    if (tool !== 'terminal_read') return { is: 'ok', output: {} };
    reads += 1;
    if (reads > endsAfter) {
      if (behaviour.withBridge) soFar.bridges += 1;
      return { is: 'failed', code: 'session_not_found' };
    }
    if (input.until !== undefined) return { is: 'ok', output: { metadata: { found: true, running: true } } };
    const offset = Number(input.offset);
    const from = offset < losesFrom ? offset : Math.min(printed.length, offset + 100);
    const next = Math.min(from + 32_768, printed.length);
    const missed_bytes = saysSo ? from - offset : 0;
    return {
      is: 'ok',
      output: {
        output: `Session '${name}' is running.\n${printed.slice(from, next)}`,
        metadata: { running: true, next_offset: saysSo ? next : next - (from - offset), missed_bytes },
      },
    };
  };
  let made = 0;
  const lane: Lane = {
    ...{
      name: '00',
      run: 'by-hand',
      random: randomFrom(1, '00'),
      origin: '',
      modelPorts: [],
      left: undefined,
    },
    ...{ changing: undefined, known: undefined, remembered: undefined, seen: new Set() },
    newToken: (isRefused = false) => `soak1-00-${isRefused ? 'refused-' : ''}${++made}-`,
    send: async ({ tool, input, effect, token = '' }) => {
      const told = answer(tool, input as Record<string, unknown>);
      const attempts = [{ at: 1, until: 2, told }];
      return { ...{ tool, token, way: 'REST', isRefused: false, attempts }, ...(effect ? { effect } : {}) };
    },
    someCallId: async () => undefined,
    callIdOf: async () => undefined,
    ...{ isOver: () => false, soFar: () => ({ ...soFar }), expect: () => undefined },
    note: (violation) => void notes.push(violation),
  };
  await job(lane);
  return notes.map(({ what }) => what);
}

describe('a client that uses lasting terminals', () => {
  it('has nothing to say where all is well', async () => {
    expect(await notesOf(readTerminal)).toEqual([]);
    expect(await notesOf(typeInTerminal)).toEqual([]);
  });

  it('notes output that is gone, and that it was not told of', async () => {
    expect(await notesOf(readTerminal, { losesFrom: 32_768 })).toEqual([expect.stringContaining('gave "')]);
    const told = { losesFrom: 32_768, saysSo: true };
    expect(await notesOf(readTerminal, told)).toEqual([expect.stringContaining('no disk was full')]);
    expect(await notesOf(readTerminal, { ...told, diskWasFull: true })).toEqual([]);
  });

  it('notes a session that ended, unless its bridge did', async () => {
    const ended = [expect.stringContaining('ended by itself')];
    expect(await notesOf(readTerminal, { endsAfter: 1 })).toEqual(ended);
    expect(await notesOf(readTerminal, { endsAfter: 1, withBridge: true })).toEqual([]);
    expect(await notesOf(typeInTerminal, { endsAfter: 2 })).toEqual(ended);
    expect(await notesOf(typeInTerminal, { endsAfter: 2, withBridge: true })).toEqual([]);
  });

  it('notes a session that is not listed', async () => {
    expect(await notesOf(readTerminal, { isUnlisted: true })).toEqual([
      expect.stringContaining('is not in the list'),
    ]);
  });
});
