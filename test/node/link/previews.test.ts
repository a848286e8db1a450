import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { withPreviews } from '../../../local-bridge/agent/link/preview.ts';
import { type Machine, openMachine } from '../../../local-bridge/agent/machine.ts';
import { machineDoor } from '../../../local-bridge/agent/policy/door.ts';
import { type OwnerSession, signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import type { Looked } from '../../../src/core/preview.ts';
import type { ToolSet } from '../../../src/core/tools.ts';
import {
  connectTestMachine,
  pairTestMachine,
  startLinkGateway,
  type TestMachine,
} from '../../support/link-gateway.ts';

interface Shown {
  readonly preview?: {
    readonly facts: readonly { readonly text: string }[];
    readonly files: unknown;
    readonly diff: string | null;
    readonly state: string | null;
  };
  readonly why?: string;
}

interface Listed {
  readonly code: string;
  readonly state: string;
  readonly tool: string;
  readonly shown: Shown;
}

/** The gateway with a bridge's own tools behind its own door: no part of either is a stand-in. */
describe('what the owner saw is what runs', () => {
  let worker: BareWorker;
  let owner: OwnerSession;
  let token: string;
  let machine: TestMachine;
  let opened: Machine;
  let link: { stop(): void } | undefined;
  let folder: string;
  let home: string;
  /** How often the machine was asked what a call would do. */
  let looks = 0;

  beforeAll(async () => {
    const gateway = await startLinkGateway();
    worker = gateway.worker;
    owner = await signInAsOwner(worker.url, gateway.ownerKey);
    const scopes = ['machine', 'read', 'write'] as const;
    token = (await owner.createToken({ name: 'tests', scopes: [...scopes], days: 1 })).secret;
    machine = await pairTestMachine(worker, 'mini');
    home = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-home-')));
  });
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-seen-')));
    looks = 0;
    await connect();
  });
  afterEach(async () => {
    link?.stop();
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
    for (const { code, state } of await approvals()) if (state === 'pending') await decide(code, 'deny');
    const { rules } = (await owner.call('GET', 'rules')) as { rules: { id: string }[] };
    for (const { id } of rules) await owner.call('DELETE', `rules/${id}`);
  });
  afterAll(async () => {
    machine?.forget();
    rmSync(home, { recursive: true, force: true });
    await worker?.stop();
  });

  const connect = async (change: (tools: ToolSet) => ToolSet = (tools) => tools, deny: string[] = []) => {
    const roots = [{ name: 'shop', path: folder }];
    opened = await openMachine({ home, roots, settings: { terminal: {}, mlx: {} }, staysOpen: false });
    const report = (error: unknown) => {
      throw error;
    };
    const door = machineDoor(
      { machine: 'mini', deny, ask: [] },
      { askHere: async () => ({ said: 'nobody' }), report },
    );
    const tools = withPreviews(machine.id, door, (preview) => counted(opened.tools(door), preview));
    const about = { roots, version: '0.0.0' };
    link = await connectTestMachine(machine, worker.url, change(tools), { about });
  };
  const reconnect = async (change?: (tools: ToolSet) => ToolSet, deny?: string[]) => {
    link?.stop();
    await opened.close();
    await connect(change, deny);
  };
  const counted = (tools: ToolSet, preview: ToolSet): ToolSet =>
    new Map(
      [...tools, ...preview].map(([name, tool]) => [
        name,
        {
          contract: tool.contract,
          call: (args: unknown, caller: Caller): Promise<Result> => tool.call(args, caller),
          look: (call: PreparedCall): Promise<Looked> => tool.look(call),
          run: (call: PreparedCall): Promise<Result> => {
            if (name === 'preview') looks++;
            return tool.run(call);
          },
        },
      ]),
    );
  const send = async (tool: string, args: object) => {
    const response = await fetch(`${worker.url}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const approvals = async () => ((await owner.call('GET', 'approvals')) as { approvals: Listed[] }).approvals;
  const waiting = async () => (await approvals()).filter(({ state }) => state === 'pending');
  const decide = (code: string, decision: 'approve' | 'deny') =>
    owner.call('POST', `approvals/${code}`, { decision });
  /** The approval that is open, once there is one. */
  const asked = async () => {
    for (;;) {
      const [one] = await waiting();
      if (one) return one;
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const at = (...names: string[]) => join(folder, ...names);

  it('a change is shown as lines, and runs as it was shown', async () => {
    writeFileSync(at('f.txt'), 'one\ntwo\nthree\n');
    const answer = send('replace_string_in_file', { path: 'f.txt', old_string: 'two', new_string: '2' });
    const { code, shown } = await asked();
    expect(shown.preview).toMatchObject({
      diff: '--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
      files: [{ path: 'f.txt', change: 'change' }],
    });
    await decide(code, 'approve');
    expect(await answer).toMatchObject({ success: true });
    expect(readFileSync(at('f.txt'), 'utf8')).toBe('one\n2\nthree\n');
  });

  it('a file that changed after the yes stays as it is, and the owner is asked anew', async () => {
    writeFileSync(at('f.txt'), 'one\ntwo\n');
    const args = {
      path: 'f.txt',
      old_string: 'two',
      new_string: '2',
      idempotency_key: 'the-same-key-again',
    };
    const answer = send('replace_string_in_file', args);
    const first = await asked();
    writeFileSync(at('f.txt'), 'rm -rf /\ntwo\n');
    await decide(first.code, 'approve');
    expect(await answer).toMatchObject({ code: 'changed_since_approval' });
    expect(readFileSync(at('f.txt'), 'utf8')).toBe('rm -rf /\ntwo\n');
    const second = await asked();
    expect(second.code).not.toBe(first.code);
    expect(second.shown.preview?.diff).toContain(' rm -rf /\n-two\n+2\n');
    // Nothing was done under this key, so it may be used for the call that does it.
    const again = send('replace_string_in_file', args);
    await decide(second.code, 'approve');
    expect(await again).toMatchObject({ success: true });
    expect(await again).not.toHaveProperty('replayed');
    expect(readFileSync(at('f.txt'), 'utf8')).toBe('rm -rf /\n2\n');
    expect(await send('replace_string_in_file', args)).toMatchObject({ success: true, replayed: true });
  });

  it('a file that was made after the yes is not overwritten', async () => {
    const answer = send('create_file', { path: 'a/new.txt', content: 'new\n' });
    const { code, shown } = await asked();
    expect(shown.preview).toMatchObject({
      files: [
        { path: 'a', change: 'create folder' },
        { path: 'a/new.txt', change: 'create' },
      ],
      diff: '--- /dev/null\n+++ a/new.txt\n@@ -0,0 +1,1 @@\n+new\n',
    });
    mkdirSync(at('a'));
    writeFileSync(at('a', 'new.txt'), 'theirs\n');
    await decide(code, 'approve');
    expect(await answer).toMatchObject({ code: 'file_exists' });
    expect(readFileSync(at('a', 'new.txt'), 'utf8')).toBe('theirs\n');
    expect(await waiting()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['create_file', { path: 'there.txt', content: '' }, 'file_exists'],
    ['create_file', { path: '.git/hooks/pre-commit', content: '' }, 'path_denied'],
    ['create_file', { path: '../x', content: '' }, 'path_outside_root'],
    ['create_file', { path: 'there.txt/x', content: '' }, 'not_a_directory'],
    ['create_file', { path: 'x', content: '', root: 'other' }, 'unknown_root'],
    ['create_directory', { path: 'there.txt' }, 'file_exists'],
    ['create_directory', { path: 'a/..' }, 'path_outside_root'],
    ['replace_string_in_file', { path: 'no.txt', old_string: 'a', new_string: 'b' }, 'file_not_found'],
    ['replace_string_in_file', { path: 'there.txt', old_string: 'no', new_string: 'b' }, 'string_not_found'],
    ['replace_string_in_file', { path: 'nul', old_string: 'a', new_string: 'b' }, 'invalid_path'],
    ['replace_string_in_file', { path: 'bytes', old_string: 'a', new_string: 'b' }, 'binary_file'],
    ['replace_string_in_file', { path: 'folder', old_string: 'a', new_string: 'b' }, 'not_a_file'],
    ['replace_string_in_file', { path: 'large', old_string: 'a', new_string: 'b' }, 'file_too_large'],
    ['replace_string_in_file', { path: 'link', old_string: 'a', new_string: 'b' }, 'path_outside_root'],
    ['replace_string_in_file', { path: '.env', old_string: 'a', new_string: 'b' }, 'path_denied'],
    ['create_file', { path: 'link', content: '' }, 'file_exists'],
    ['create_file', { path: 'out/x', content: '' }, 'path_outside_root'],
    ['create_directory', { path: 'out/x' }, 'path_outside_root'],
    ['create_directory', { path: '.git/hooks/x' }, 'path_denied'],
  ])('nobody is asked about %s %j, which ends with %s', async (tool, args, code) => {
    writeFileSync(at('there.txt'), 'a');
    writeFileSync(at('bytes'), 'a\0b');
    // Only for who asks for it: to write it takes longer than the rest.
    if ('path' in args && args.path === 'large') writeFileSync(at('large'), 'a'.repeat(10 * 1024 * 1024 + 1));
    writeFileSync(at('.env'), 'a');
    mkdirSync(at('folder'));
    symlinkSync('/etc/passwd', at('link'));
    symlinkSync('/tmp', at('out'));
    expect(await send(tool, args)).toMatchObject({ code });
    expect(await waiting()).toEqual([]);
  });

  it('nobody is asked about a call that the machine’s own settings forbid', async () => {
    await reconnect(undefined, ['create_file']);
    expect(await send('create_file', { path: 'a', content: '' })).toMatchObject({ code: 'denied_by_rule' });
    expect(await waiting()).toEqual([]);
  });

  it('a call that a rule allows is not looked at before', async () => {
    await owner.call('POST', 'rules', {
      ...{ tool: 'create_file', machine: 'mini', effect: 'allow' },
      match: { kind: 'arguments', fields: { path: { equals: 'a' }, content: { equals: '' } } },
      examples: { must: ['{"content":"","path":"a"}'], mustNot: ['{"content":"","path":"b"}'] },
    });
    expect(await send('create_file', { path: 'a', content: '' })).toMatchObject({ success: true });
    expect(looks).toBe(0);
  });

  it('the owner is told why there is nothing to see from an older bridge', async () => {
    await reconnect((tools) => new Map([...tools].filter(([name]) => name !== 'preview')));
    const answer = send('create_directory', { path: 'a' });
    const { code, shown } = await asked();
    expect(shown.why).toContain('mini gave no preview');
    await decide(code, 'approve');
    expect(await answer).toMatchObject({ success: true });
  });

  it('the owner is told why there is nothing to see when the machine goes away', async () => {
    const leaving = (tools: ToolSet): ToolSet => {
      const preview = tools.get('preview');
      if (!preview) throw new Error('The machine gives no previews.');
      const goes = { ...preview, run: () => new Promise<Result>(() => link?.stop()) };
      return new Map([...tools, ['preview', goes]]);
    };
    await reconnect(leaving);
    const answer = send('create_directory', { path: 'b' });
    const { code, shown } = await asked();
    expect(shown.why).toBeTruthy();
    await decide(code, 'deny');
    expect(await answer).toMatchObject({ code: 'approval_denied' });
  });

  it('an entry of the memory is shown as its line, with its number', async () => {
    const args = { file: 'best_practices.md', entry: 'Test the attack first.' };
    const answer = send('write_memory_entry', args);
    const { code, shown } = await asked();
    expect(shown.preview).toMatchObject({
      files: [{ path: '.claude/memory/best_practices.md', change: 'create' }],
      diff: '--- /dev/null\n+++ .claude/memory/best_practices.md\n@@ -0,0 +1,1 @@\n+Test the attack first.\n',
      state: null,
    });
    await decide(code, 'deny');
    await answer;
  });
});
