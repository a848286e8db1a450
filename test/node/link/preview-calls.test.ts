import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { machinePreview, type Preview } from '../../../contracts/preview.ts';
import type { Link } from '../../../local-bridge/agent/link/link.ts';
import { previewHere } from '../../../local-bridge/agent/link/preview.ts';
import { type Machine, openMachine } from '../../../local-bridge/agent/machine.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import { type ToolSet, toolSet } from '../../../src/core/tools.ts';
import {
  connectTestMachine,
  pairTestMachine,
  startLinkGateway,
  type TestMachine,
} from '../../support/link-gateway.ts';

interface Waiting {
  readonly code: string;
  readonly state: string;
  readonly shown: { readonly preview?: Preview };
}

describe('what the owner sees of a command before it runs', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-seen-')));
  const shop = join(base, 'shop');
  let worker: BareWorker;
  let owner: OwnerSession;
  let token: string;
  let paired: TestMachine;
  let link: Link | undefined;
  let machine: Machine | undefined;
  beforeAll(async () => {
    mkdirSync(shop);
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    token = (await owner.createToken({ name: 'tests', scopes: ['machine'], days: 1 })).secret;
    paired = await pairTestMachine(worker, 'mini');
  });
  afterAll(async () => {
    await close();
    await worker?.stop();
    paired?.forget();
    rmSync(base, { recursive: true, force: true });
  });

  const close = async () => {
    link?.stop();
    await machine?.close();
    [link, machine] = [undefined, undefined];
  };
  /** Starts this machine's tools anew over the folder, as a bridge that was started again. */
  const open = async (terminal: Record<string, unknown>) => {
    await close();
    const roots = [{ name: 'shop', path: shop }];
    const opened = await openMachine({ home: join(base, 'home'), roots, settings: { terminal, mlx: {} } });
    const door = {
      ...NO_LEDGER,
      newCallId: () => 'call_here',
      admit: () => ADMITTED,
      report: (error: unknown) => {
        throw error;
      },
    };
    const preview = toolSet({ preview: machinePreview }, { preview: previewHere }, door, {
      machine: paired.id,
      tools: (): ToolSet => tools,
      forbids: () => undefined,
    });
    const tools: ToolSet = new Map([...opened.tools(door), ...preview]);
    machine = opened;
    link = await connectTestMachine(paired, worker.url, tools, { about: { roots, version: '0.0.0' } });
  };
  const send = async (tool: string, args: object) => {
    const response = await fetch(`${worker.url}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return (await response.json()) as { code?: string; success?: boolean };
  };
  const waiting = async () => {
    const { approvals } = (await owner.call('GET', 'approvals')) as { approvals: Waiting[] };
    return approvals.filter(({ state }) => state === 'pending');
  };
  const theOneWaiting = async (): Promise<Waiting> => {
    for (;;) {
      const [one] = await waiting();
      if (one) return (await owner.call('GET', `approvals/${one.code}`)) as Waiting;
    }
  };
  const decide = (code: string, decision: 'approve' | 'deny') =>
    owner.call('POST', `approvals/${code}`, { decision });

  it('nobody is asked about a command while the terminal is off, nor about a page that the guard refuses', async () => {
    await open({ enabled: false });
    expect(await send('run_in_terminal', { command: 'touch ran' })).toMatchObject({ code: 'terminal_off' });
    expect(await send('fetch_webpage', { url: 'http://127.0.0.1/' })).toMatchObject({ code: 'blocked_url' });
    expect(await send('mlx_unload', { port: 8_139 })).toMatchObject({ code: 'not_listening' });
    expect(await waiting()).toEqual([]);
  });

  it('the approval holds the facts, and a yes runs the command where the owner saw it', async () => {
    await open({ sandbox: 'off', shell: '/bin/sh' });
    const answer = send('run_in_terminal', { command: 'touch ran && sudo -k' });
    const { code, shown } = await theOneWaiting();
    expect(shown.preview).toMatchObject({ files: null, diff: null });
    expect(shown.preview?.facts).toEqual(
      expect.arrayContaining([
        { text: `It starts in the folder ${shop}.`, unusual: false },
        { text: 'The shell is /bin/sh.', unusual: false },
        { text: '`sudo` runs things as another user, often as the administrator.', unusual: true },
      ]),
    );
    expect(existsSync(join(shop, 'ran'))).toBe(false);
    await decide(code, 'approve');
    await answer;
    expect(existsSync(join(shop, 'ran'))).toBe(true);
  });

  it('a yes for one folder runs nothing in another that took its place, and the owner is asked again', async () => {
    await open({ sandbox: 'off' });
    const answer = send('run_in_terminal', { command: 'touch again' });
    const { code, shown } = await theOneWaiting();
    renameSync(shop, join(base, 'moved'));
    mkdirSync(shop);
    await open({ sandbox: 'off' });
    await decide(code, 'approve');
    expect(await answer).toMatchObject({ code: 'changed_since_approval' });
    expect([shop, join(base, 'moved')].filter((folder) => existsSync(join(folder, 'again')))).toEqual([]);
    const next = await theOneWaiting();
    expect(next.shown.preview?.state).not.toBe(shown.preview?.state);
    await decide(next.code, 'deny');
  });
});
