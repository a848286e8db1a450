import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { withPreviews } from '../../../local-bridge/agent/link/preview.ts';
import { openMachine } from '../../../local-bridge/agent/machine.ts';
import { machineDoor } from '../../../local-bridge/agent/policy/door.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import {
  connectTestMachine,
  pairTestMachine,
  startLinkGateway,
  type TestMachine,
  untilState,
} from '../../support/link-gateway.ts';
import { SOON_MS } from '../../support/soon.ts';

interface Listed {
  readonly code: string;
  readonly state: string;
  readonly shown: { readonly preview?: { readonly facts: readonly { readonly text: string }[] } };
}

interface Answer {
  readonly output?: string;
  readonly metadata?: { readonly next_offset: number; readonly found?: boolean };
}

/** The gateway with a bridge's own lasting terminals behind its own door. */
describe('a lasting terminal behind the gateway', () => {
  let worker: BareWorker;
  let owner: OwnerSession;
  let token: string;
  let machine: TestMachine;

  beforeAll(async () => {
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    const scopes = ['machine', 'read', 'write'] as const;
    token = (await owner.createToken({ name: 'tests', scopes: [...scopes], days: 1 })).secret;
    machine = await pairTestMachine(worker, 'mini');
  });
  afterAll(async () => {
    machine?.forget();
    await worker?.stop();
  });

  const connect = async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-lasting-')));
    const roots = [{ name: 'shop', path: realpathSync(mkdtempSync(join(tmpdir(), 'bowline-shop-'))) }];
    const settings = { terminal: { shell: '/bin/bash', sandbox: 'off' }, mlx: {} } as const;
    const opened = await openMachine({ home, roots, settings, staysOpen: true });
    const report = (error: unknown) => {
      throw error;
    };
    const door = machineDoor(
      { machine: 'mini', deny: [], ask: [] },
      { askHere: async () => ({ said: 'nobody' }), report },
    );
    const tools = withPreviews(machine.id, door, (preview) => new Map([...opened.tools(door), ...preview]));
    const link = await connectTestMachine(machine, worker.url, tools, { about: { roots, version: '0.0.0' } });
    onTestFinished(async () => {
      link.stop();
      await opened.close();
      for (const path of [home, ...roots.map((root) => root.path)])
        rmSync(path, { recursive: true, force: true });
    });
    return link;
  };
  const call = async (tool: string, args: object): Promise<Answer> => {
    const response = await fetch(`${worker.url}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session: 'work', ...args }),
    });
    return (await response.json()) as Answer;
  };
  /** The call that waits for the owner, once there is one. */
  const asked = async (): Promise<Listed> => {
    for (;;) {
      const { approvals } = (await owner.call('GET', 'approvals')) as { approvals: Listed[] };
      const waiting = approvals.find(({ state }) => state === 'pending');
      if (waiting) return waiting;
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const approved = async (tool: string, args: object) => {
    const answer = call(tool, args);
    const { code } = await asked();
    await owner.call('POST', `approvals/${code}`, { decision: 'approve' });
    return answer;
  };
  /** Reads from the beginning until a text came. */
  const untilSaid = async (until: string) => {
    const read = await call('terminal_read', { until, wait_seconds: 35 });
    expect(read.metadata?.found).toBe(true);
    return read;
  };

  it('takes the line that a rule allows, until its shell may give words another meaning', async () => {
    await connect();
    await owner.call('POST', 'rules', {
      ...{ tool: 'run_in_terminal', machine: 'mini', effect: 'allow' },
      match: { kind: 'argv', argv: ['date', '-u'], options: [], operands: 'none', fields: {} },
      examples: {
        must: ['{"command":"date -u","repeat":false,"timeout_seconds":30}'],
        mustNot: ['{"command":"date","repeat":false,"timeout_seconds":30}'],
      },
    });
    await approved('terminal_start', {});
    await untilSaid('$ ');
    expect((await call('terminal_send', { text: 'date -u' })).output).toMatch(/\d\d:\d\d:\d\d/);
    await approved('terminal_send', { text: "alias date='echo evil'" });
    await untilSaid("evil'\n$ ");
    const answer = call('terminal_send', { text: 'date -u' });
    const { code, shown } = await asked();
    expect(shown.preview?.facts.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('So no rule allows a line here.'),
    );
    await owner.call('POST', `approvals/${code}`, { decision: 'deny' });
    expect(await answer).toMatchObject({ code: 'approval_denied' });
    expect((await call('terminal_read', {})).output).not.toContain('evil -u');
    await call('terminal_stop', {});
  });

  it('goes on and keeps its output while the gateway is away', { timeout: 4 * SOON_MS }, async () => {
    const link = await connect();
    await approved('terminal_start', {
      command: 'i=0; while sleep 0.1; do i=$((i+1)); echo "tick $i."; done',
    });
    const before = await untilSaid('tick 2.');
    const lost = new Promise<void>((done) => link.onState(({ is }) => is !== 'online' && done()));
    await worker.restart();
    await lost;
    await untilState(link, 'online');
    const said = Number(/tick (\d+)\.\n$/.exec(before.output ?? '')?.[1]);
    await untilSaid(`tick ${said + 20}.`);
    const since = await call('terminal_read', { offset: before.metadata?.next_offset });
    const ticks = since.output?.match(/(?<=tick )\d+/g)?.map(Number) ?? [];
    expect(ticks.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => said + 1 + i));
    await call('terminal_stop', {});
  });
});
