import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalGate, openLocalGate } from '../../../local-bridge/local/gate/local-gate.ts';
import type { Result } from '../../../src/core/call.ts';
import type { GateDoorPorts } from '../../../src/gate/gate-door-ports.ts';
import { type Desk, deskSet, placeAsTold } from '../../support/gate-tools.ts';
import { everyone, failureIn } from '../../support/tools.ts';

let home: string;
const opened: LocalGate[] = [];
const unfinished: Promise<unknown>[] = [];
let calls = 0;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-local-gate-'));
});
afterEach(async () => {
  await Promise.all(unfinished.splice(0));
  for (const gate of opened.splice(0)) gate.close();
  rmSync(home, { recursive: true, force: true });
});

/** A process of its own, as far as the database can tell: another connection to the same file. */
function another(): LocalGate {
  const gate = openLocalGate(home);
  opened.push(gate);
  return gate;
}

function deskBehind(gate: LocalGate) {
  const isOpen = Promise.withResolvers<string>();
  const desk: Desk = { runs: [] };
  const ports: GateDoorPorts = {
    gate: () => gate,
    place: placeAsTold,
    newCallId: () => `call_${++calls}`,
    later: (work) => void unfinished.push(work),
    announce: async ({ code }) => isOpen.resolve(code),
    report: (error) => {
      throw error;
    },
  };
  const tools = deskSet(ports, desk);
  return {
    desk,
    isOpen: isOpen.promise,
    call: (name: string, args: object): Promise<Result> => {
      const tool = tools.get(name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.call(args, everyone);
    },
  };
}

describe('the gate of a computer without a gateway', () => {
  it('keeps its file from everybody else', () => {
    another();
    expect(statSync(join(home, 'local-gate.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('holds a call until another process says yes, and runs it once', async () => {
    const here = deskBehind(another());
    const answer = here.call('desk_write', { path: 'a.md' });
    const code = await here.isOpen;
    expect(another().now().decide(code, 'approve', 'the owner', true)).toEqual({ state: 'approved' });
    expect(await answer).toMatchObject({ kind: 'ok' });
    expect(here.desk.runs).toHaveLength(1);
  });

  it('refuses what another process said no to', async () => {
    const here = deskBehind(another());
    const answer = here.call('desk_write', { path: 'a.md' });
    another()
      .now()
      .decide(await here.isOpen, 'deny', 'the owner', true);
    expect(failureIn(await answer).code).toBe('approval_denied');
    expect(here.desk.runs).toEqual([]);
  });

  it('obeys a rule that another process wrote a moment ago', async () => {
    const here = deskBehind(another());
    const answer = here.call('desk_write', { path: 'a.md' });
    another()
      .now()
      .decide(await here.isOpen, 'always', 'the owner', true);
    expect(await answer).toMatchObject({ kind: 'ok' });
    expect(await here.call('desk_write', { path: 'a.md', repeat: true })).toMatchObject({ kind: 'ok' });
    expect(here.desk.runs).toHaveLength(2);
  });

  it('counts calls of all processes together, and remembers them', async () => {
    another().now().changeSetting('rates', { desk_look: 2 });
    for (let n = 0; n < 2; n += 1) {
      expect(await deskBehind(another()).call('desk_look', { path: 'a' })).toMatchObject({ kind: 'ok' });
    }
    const third = deskBehind(another());
    const refused = failureIn(await third.call('desk_look', { path: 'a' }));
    expect([refused.code, refused.http_status]).toEqual(['rate_limited', 429]);
    await Promise.all(unfinished);
    expect((await another().ledger.page({ limit: 10 })).entries.length).toBe(3);
  });

  it('counts calls that a look refuses, of all processes together', async () => {
    another().now().changeSetting('rates', { desk_mend: 2 });
    let looks = 0;
    const guess = async (path: string) => {
      const here = deskBehind(another());
      here.desk.look = (_, call) => {
        looks += 1;
        return call.fail('full');
      };
      return failureIn(await here.call('desk_mend', { path })).code;
    };
    expect([await guess('a'), await guess('b'), await guess('c')]).toEqual(['full', 'full', 'rate_limited']);
    expect(looks).toBe(2);
  });

  it('gives the outcome of a change again instead of making it twice, in whatever process', async () => {
    const args = { path: 'a', idempotency_key: 'k1' };
    const first = deskBehind(another());
    expect(await first.call('desk_keep', args)).toMatchObject({ kind: 'ok' });
    const second = deskBehind(another());
    expect(await second.call('desk_keep', args)).toMatchObject({ kind: 'ok' });
    expect([first.desk.runs.length, second.desk.runs.length]).toEqual([1, 0]);
  });

  it('says how to decide where there is no page to open', async () => {
    // The owner takes their time.
    const here = deskBehind({ ...another(), awaitDecision: async () => undefined });
    const { code, message, suggestion } = failureIn(await here.call('desk_write', { path: 'a.md' }));
    const approval = await here.isOpen;
    expect(code).toBe('approval_required');
    expect(message).toContain(`${approval}, on this computer`);
    expect(suggestion).toContain(`bowline approvals approve ${approval} --local`);
    expect(another().now().approvals('pending')).toMatchObject([{ code: approval, tool: 'desk_write' }]);
  });
});
