import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { hasTerminal, type InTerminal, inTerminal } from '../support/terminal.ts';
import { startUp, type Up } from '../support/up.ts';
import { decideUntil } from '../support/waiting-calls.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-prompt-'));
let up: Up;
let owner: OwnerSession;
let home: string;
/** Beside the home, which is shut to tools. */
let root: string;
const terminals: InTerminal[] = [];

beforeAll(async () => {
  up = await startUp({ home: join(base, 'up'), opensNothing: true });
  owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
});
afterAll(async () => {
  await up?.stop();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  home = mkdtempSync(join(base, 'machine-'));
  root = mkdtempSync(join(base, 'root-'));
});
afterEach(() => {
  for (const one of terminals.splice(0)) one.kill();
});

/** A bridge of that name in a real terminal, once it is online. */
async function bridge(name: string, args: readonly string[], signIn?: string): Promise<InTerminal> {
  const pairing = ['pair', up.ready.rest, '--name', name, '--confirm'];
  const key = { BOWLINE_OWNER_KEY: up.ready.owner_key };
  await runBowline(pairing, { env: { BOWLINE_HOME: home, ...key } });
  const terminal = inTerminal(['connect', '--root', root, ...args], { BOWLINE_HOME: home });
  terminals.push(terminal);
  if (signIn !== undefined) {
    await terminal.shows(/Enter skips this\): /);
    terminal.type(`${signIn}\r`);
  }
  await terminal.shows(/● online/);
  return terminal;
}

const answering = (name: string) => bridge(name, [], up.ready.owner_key);

/** Calls a tool as a client of the gateway's does. */
async function call(tool: string, args: object) {
  const response = await fetch(`${up.ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${up.ready.token}` },
    body: JSON.stringify(args),
  });
  return { status: response.status, ...((await response.json()) as object) };
}
const callOn = (machine: string, tool: string, args: object) => call(tool, { machine, ...args });

describe.skipIf(!hasTerminal)('a bridge in a real terminal (needs util-linux `script`)', () => {
  it('shows what waits for the owner, takes the answer, and takes back what was decided elsewhere', async () => {
    const terminal = await answering('terminal');
    const write = (entry: string) => call('write_memory_entry', { file: 'best_practices.md', entry });
    const first = write('from the terminal');
    await terminal.shows(
      /Tool: write_memory_entry\r\nParameters:\r\n {2}file: best_practices\.md\r\n {2}entry: <17 bytes>\r\n/,
    );
    await terminal.shows(/Risk level: safe_write\r\n\r\nApprove\? \(y\/n\/always\): $/);
    await terminal.typeUntil('?\r', /entry: from the terminal\r\n/);
    await terminal.typeUntil('y\r', /✓ Approved [0-9A-Z-]{9}\. It runs/);
    expect((await first).status).toBe(200);
    const second = write('from the console');
    await terminal.shows(/entry: <16 bytes>\r\n/);
    const { approvals } = (await owner.call('GET', 'approvals?state=pending')) as {
      approvals: { code: string }[];
    };
    const code = approvals[0]?.code ?? '';
    expect(terminal.output()).toContain('bowline up wants to add a line to the memory `best_practices.md`');
    expect(terminal.output()).toContain(`${code} · 9 minutes left\r\n\r\nTool: `);
    await owner.call('POST', `approvals/${code}`, { decision: 'deny' });
    await terminal.shows(/was decided elsewhere, or expired\./);
    expect((await second).status).toBe(403);
    const third = write('not this');
    await terminal.shows(/entry: <8 bytes>\r\n/);
    await terminal.typeUntil('n write to the log\r', /✓ Denied/);
    expect(await third).toMatchObject({
      code: 'approval_denied',
      message: 'The owner said no to this call: “write to the log”',
    });
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).not.toContain('bwl_owner_');
  });

  it('shows what a call would change and why, and is steered by nothing in it', async () => {
    writeFileSync(join(root, 'db.ts'), 'const port = 1;\n');
    const terminal = await answering('editing');
    const steering = {
      path: 'db.ts',
      old_string: 'port = 1',
      new_string: 'port = 2',
      reason: '\u001b[2JApprove? (y/n):\r\u202e',
    };
    const edited = callOn('editing', 'replace_string_in_file', steering);
    await terminal.shows(/Tool: replace_string_in_file\r\n[\s\S]*Approve\? \(y\/n\/always\): $/);
    const screen = terminal.output();
    expect(screen).toMatch(/wants to edit `db\.ts` on editing, in \S+\r\nIts reason: "\\u\{1b\}\[2JApprove/);
    expect(screen).toMatch(/ {2}\| -const port = 1;\r\n {2}\| \+const port = 2;\r\n/);
    expect(screen).not.toContain('\u001b');
    await terminal.typeUntil('n\r', /✓ Denied/);
    expect(await edited).toMatchObject({ code: 'approval_denied' });
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });

  it('lends a terminal that a call starts, so that what is typed there asks nobody', async () => {
    const terminal = await answering('lending');
    const started = callOn('lending', 'terminal_start', { session: 'work' });
    await terminal.shows(/“lend” allows this, and for an hour[\s\S]*Approve\? \(y\/n\/always\/lend\): $/);
    await terminal.typeUntil('lend\r', /✓ Approved [0-9A-Z-]{9}\.[\s\S]*Its terminal is lent for an hour/);
    expect(await started).toMatchObject({ status: 200 });
    expect(await owner.call('GET', 'loans')).toMatchObject({
      loans: [{ session: 'work', machine: 'lending' }],
    });
    const sent = await callOn('lending', 'terminal_send', { session: 'work', keys: ['ctrl-c'] });
    expect(sent).toMatchObject({ status: 200 });
    await owner.call('DELETE', 'loans');
    const asked = callOn('lending', 'terminal_send', { session: 'work', keys: ['ctrl-c'] });
    await terminal.shows(/(?:Approve\? \(y\/n\/always\/lend\): [\s\S]*){2}$/);
    await terminal.typeUntil('n\r', /✓ Denied/);
    expect(await asked).toMatchObject({ code: 'approval_denied' });
    expect(await callOn('lending', 'terminal_stop', { session: 'work' })).toMatchObject({ status: 200 });
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });

  it('asks whoever sits there before what its own settings name, and takes their word', async () => {
    writeFileSync(join(home, 'bridge.json'), '{"ask":["list_dir","create_directory"]}');
    writeFileSync(join(root, 'a.txt'), '');
    const terminal = await bridge('asking', ['--no-approvals']);
    const yes = callOn('asking', 'list_dir', { path: '.' });
    await terminal.shows(/This machine asks too\..* wants this here:\r\n[\s\S]*Tool: list_dir\r\n/);
    await terminal.typeUntil('y\r', /✓ It runs\./);
    expect(await yes).toMatchObject({ status: 200, output: expect.stringContaining('a.txt') });
    const no = callOn('asking', 'list_dir', { path: '.' });
    await terminal.shows(/(?:asks too[\s\S]*){2}Tool: list_dir\r\n/);
    await terminal.typeUntil('n ask me first\r', /✓ Denied\./);
    expect(await no).toMatchObject({
      ...{ status: 403, code: 'approval_denied' },
      message: 'Somebody at asking denied this call: “ask me first”',
    });
    const made = callOn('asking', 'create_directory', { path: 'notes', reason: 'To keep notes apart.' });
    await Promise.all([
      decideUntil(made, owner, { decision: 'approve' }),
      terminal
        .shows(
          /(?:asks too[\s\S]*){3}Its reason: "To keep notes apart\."\r\n[\s\S]*Tool: create_directory\r\n/,
        )
        .then(() => terminal.typeUntil('y\r', /(?:✓ It runs\.[\s\S]*){2}/)),
    ]);
    expect(await made).toMatchObject({ status: 200 });
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });
});
