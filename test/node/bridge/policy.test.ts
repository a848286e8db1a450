import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { machineDoor, type SaidHere } from '../../../local-bridge/agent/policy/door.ts';
import { bridgeSettings } from '../../../local-bridge/agent/policy/settings.ts';
import type { Caller } from '../../../src/core/call.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import { invoke } from '../../../src/core/invoke.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import { sessionState } from '../../../src/core/session-state.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import { preview } from '../../support/approval-shown.ts';
import { prepared } from '../../support/prepared.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-policy-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const settings = (text: string) => {
  writeFileSync(join(home, 'bridge.json'), text);
  return bridgeSettings(home);
};
const all = new Set(['read', 'write', 'machine'] as const);
const gateway: Caller = { principal: 'app:x', client: 'Claude', via: 'mcp', scopes: all };

/** Sends a call through the machine's door, as the link does, and says whether its tool ran. */
async function sent(
  policy: { deny?: string[]; ask?: string[] },
  options: {
    args?: object;
    caller?: Caller;
    says?: SaidHere;
    tool?: 'create_directory' | 'edit_files' | 'read_file';
  } = {},
) {
  const {
    args = { path: 'a' },
    caller = gateway,
    says = { said: 'nobody' },
    tool = 'create_directory',
  } = options;
  const asked: string[] = [];
  const door = machineDoor(
    { machine: 'mini', deny: [], ask: [], ...policy },
    {
      askHere: async ({ contract }) => {
        asked.push(contract.wireName);
        return says;
      },
      report: (error) => {
        throw error;
      },
    },
  );
  let ran = false;
  const result = await invoke(
    catalogue[tool],
    (_, call) => {
      ran = true;
      return call.fail('machine_offline');
    },
    args,
    caller,
    door,
    {},
  );
  return { ran, asked, failure: result.kind === 'failed' ? result.failure : undefined };
}

describe('the policy of a machine', () => {
  it('lets through what it says nothing about', async () => {
    expect(await sent({ deny: ['run_in_terminal'], ask: ['create_file'] })).toMatchObject({
      ran: true,
      asked: [],
    });
  });

  it('refuses a denied tool by name, and says what can be done', async () => {
    const { ran, failure } = await sent({ deny: ['create_directory'] });
    expect(ran).toBe(false);
    expect(failure).toMatchObject({
      code: 'denied_by_rule',
      http_status: 403,
      message: 'mini does not run create_directory: its own settings forbid it.',
      suggestion: expect.stringContaining('bridge.json'),
    });
  });

  it('refuses a tool that would do in one call what its settings deny, and names both', async () => {
    const { deny } = settings('{"deny":["create_file"]}');
    const { ran, failure } = await sent(
      { deny },
      { tool: 'edit_files', args: { edits: [{ op: 'create', path: 'a', text: '' }] } },
    );
    expect({ ran, failure }).toMatchObject({
      ran: false,
      failure: {
        code: 'denied_by_rule',
        suggestion: expect.stringContaining('edit_files or create_file or replace_string_in_file'),
      },
    });
  });

  it('is not asked for, nor overruled, by anything the gateway sends', async () => {
    const claims = { approved: true, policy: { deny: [], ask: [] }, deny: [], roots: ['/'] };
    const caller = { ...gateway, ...claims, principal: 'owner', scopes: all } as Caller;
    expect(await sent({ deny: ['create_directory'] }, { caller, says: { said: 'yes' } })).toMatchObject({
      ran: false,
      asked: [],
      failure: { code: 'denied_by_rule' },
    });
    // Nor as arguments: what the contract lacks is refused before the door is asked.
    expect(await sent({ deny: [] }, { args: { path: 'a', ...claims } })).toMatchObject({
      ran: false,
      failure: { code: 'invalid_input' },
    });
  });

  it('keeps to what it was made from, whatever becomes of that', async () => {
    const policy = { deny: ['create_directory'], ask: [] as string[] };
    const door = machineDoor(
      { machine: 'mini', ...policy },
      { askHere: async () => ({ said: 'yes' }), report: () => undefined },
    );
    policy.deny.length = 0;
    const request = prepared(catalogue.create_directory, { path: 'a' }, { caller: gateway });
    expect(await door.admit(request, () => Promise.reject(new Error('nobody is asked')))).toMatchObject({
      kind: 'failed',
    });
  });

  it('denies before it asks', async () => {
    const both = { deny: ['create_directory'], ask: ['create_directory'] };
    expect(await sent(both, { says: { said: 'yes' } })).toMatchObject({ ran: false, asked: [] });
  });

  it.each([
    ['yes', true, undefined],
    ['no', false, 'approval_denied'],
    ['nobody', false, 'approval_required'],
  ] as const)('asks at the machine, and %s means ran: %s', async (said, ran, code) => {
    const outcome = await sent({ ask: ['create_directory', 'read_file'] }, { says: { said } });
    expect(outcome).toMatchObject({ ran, asked: ['create_directory'] });
    if (code) expect(outcome.failure).toMatchObject({ code, message: expect.stringContaining('mini') });
  });

  it('hands the sentence of a no on to whoever asked', async () => {
    const says = { said: 'no', note: 'use \u202epnpm' } as const;
    const { failure } = await sent({ ask: ['create_directory'] }, { says });
    expect(failure?.message).toBe('Somebody at mini denied this call: “use \\u{202e}pnpm”');
  });

  it('holds for reads too', async () => {
    expect(await sent({ deny: ['read_file'] }, { tool: 'read_file' })).toMatchObject({ ran: false });
  });
});

describe('the question in a machine’s own terminal', () => {
  const call = prepared(catalogue.create_directory, { path: 'a' }, { caller: gateway });
  const asking = (said: SaidHere['said'] = 'yes') => {
    const shown: ShownPreview[] = [];
    const askHere = async (_: PreparedCall, what: ShownPreview) => {
      shown.push(what);
      return { said };
    };
    const reported: unknown[] = [];
    const report = (error: unknown) => void reported.push(error);
    const door = machineDoor({ machine: 'mini', deny: [], ask: ['create_directory'] }, { askHere, report });
    return { door, shown, reported };
  };
  const looked = preview({ state: 'as it is' });

  it('shows what the call would do, and the yes holds for that alone', async () => {
    const { door, shown } = asking();
    expect(await door.admit(call, async () => looked)).toMatchObject({ kind: 'admitted', seen: 'as it is' });
    expect(shown).toEqual([{ preview: looked }]);
  });

  it('is not put about a call that would be refused', async () => {
    const { door, shown } = asking();
    const refusal = { kind: 'failed' as const, failure: doorFailure('internal_error') };
    expect(await door.admit(call, async () => refusal)).toBe(refusal);
    expect(shown).toEqual([]);
  });

  it('is not put about other content than the owner said yes to', async () => {
    const { door, shown } = asking();
    expect(await door.admit({ ...call, seen: 'as it was' }, async () => looked)).toMatchObject({
      failure: { code: 'changed_since_approval' },
    });
    expect(shown).toEqual([]);
    expect(await door.admit({ ...call, seen: 'as it is' }, async () => looked)).toMatchObject({
      seen: 'as it is',
    });
  });

  it('is put about a terminal that the owner lent, whatever stands there, and about no other', async () => {
    const { door, shown } = asking();
    const lent = preview({ state: 'as it is', lasting: { session: 'work', startedBy: 'call_1' } });
    expect(await door.admit({ ...call, seen: sessionState('call_1') }, async () => lent)).toMatchObject({
      kind: 'admitted',
      seen: 'as it is',
    });
    expect(await door.admit({ ...call, seen: sessionState('call_2') }, async () => lent)).toMatchObject({
      failure: { code: 'changed_since_approval' },
    });
    expect(shown).toEqual([{ preview: lent }]);
  });

  it('is put without a preview where there is none, and says why', async () => {
    const { door, shown, reported } = asking();
    expect(await door.admit(call, async () => ({ kind: 'none', why: 'Too late.' }))).not.toHaveProperty(
      'seen',
    );
    await door.admit(call, () => Promise.reject(new Error('broken')));
    expect(shown).toEqual([{ why: 'Too late.' }, { why: 'The preview failed.' }]);
    expect(reported).toEqual([new Error('broken')]);
  });
});

describe('bridge.json', () => {
  it('need not be there', () => {
    expect(bridgeSettings(home)).toEqual({ deny: [], ask: [] });
  });

  it('speaks of lasting terminals where it speaks of commands', () => {
    const lasting = ['run_in_terminal', 'terminal_start', 'terminal_send'];
    expect(settings('{"deny":["run_in_terminal"]}').deny).toEqual(lasting);
    expect(settings('{"ask":["run_in_terminal","terminal_send"]}').ask).toEqual([
      ...['run_in_terminal', 'terminal_send', 'terminal_start'],
    ]);
    expect(settings('{"deny":["terminal_start"]}').deny).toEqual(['terminal_start']);
  });

  it.each(['create_file', 'replace_string_in_file'])('speaks of all edits where it speaks of %s', (tool) => {
    expect(settings(JSON.stringify({ deny: [tool] })).deny).toEqual([tool, 'edit_files', 'undo_call']);
    expect(settings(JSON.stringify({ ask: [tool] })).ask).toEqual([tool, 'edit_files', 'undo_call']);
  });

  it('is taken as it is written', () => {
    const written = {
      roots: [{ name: 'site', path: '/srv' }],
      deny: ['fetch_webpage'],
      ask: ['create_directory'],
      mlx: { host: 'studio' },
    };
    expect(settings(JSON.stringify(written))).toEqual(written);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'expected object'],
    ['{"deny":["run_in_termnal"]}', 'did you mean run_in_terminal?'],
    ['{"deny":["hello"]}', 'deny.0: no machine has a tool "hello"'],
    ['{"deny":["*"]}', 'no machine has a tool "*"'],
    ['{"allow":["run_in_terminal"]}', '"allow"'],
    ['{"ask":"create_file"}', 'ask: '],
    ['{"roots":[{"path":""}]}', 'roots.0.path: '],
  ])('starts nothing when it says %s', (text, why) => {
    expect(() => settings(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(why), exitCode: 2 }),
    );
  });
});
