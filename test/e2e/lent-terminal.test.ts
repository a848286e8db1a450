import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../contracts/contract.ts';
import { hasSandbox } from '../node/terminal/rig.ts';
import { runBowline } from '../support/command.ts';
import { startTwoSides } from '../support/two-sides.ts';
import { decideUntil, untilWaiting } from '../support/waiting-calls.ts';

// A terminal that its owner lent, and everything that must not be: from a real MCP client to a real shell on a machine.

let sides: Awaited<ReturnType<typeof startTwoSides>>;
let ada: Client;
let eve: Client;
let names = 0;
/** The session of one test. */
let session: string;

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'lent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`${sides.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const newToken = (name: string) => sides.owner.createToken({ name, scopes: [...SCOPES], days: 1 });

beforeAll(async () => {
  sides = await startTwoSides('mini', { approves: false });
  ada = await connect(sides.token);
  eve = await connect((await newToken('eve')).secret);
}, 240_000);
afterAll(async () => {
  await ada?.close();
  await eve?.close();
  await sides?.stop();
});
beforeEach(() => {
  names += 1;
  session = `work-${names}`;
});

/** A machine has room for eight sessions. */
afterEach(async () => {
  for (const client of [ada, eve]) await call(client, 'terminal_stop', {});
  await sides.owner.call('DELETE', 'loans');
});

interface Loan {
  readonly id: string;
  readonly session: string;
  readonly sends: number;
  readonly last: readonly { readonly typed: string; readonly outcome: string | null }[];
}
const loans = async () => ((await sides.owner.call('GET', 'loans')) as { loans: Loan[] }).loans;

/** Makes a call whose owner decides so if asked. Gives what came back, and how often they were asked. */
async function call(client: Client, tool: string, args: object, decision = 'deny') {
  const calling = client.callTool({ name: tool, arguments: { session, ...args } });
  const asked = await decideUntil(calling, sides.owner, { decision });
  const { content, isError = false } = await calling;
  const [first] = content;
  return { asked, ok: !isError, text: first?.type === 'text' ? first.text : '' };
}

/** Types into the session, and denies it if asked. */
const type = (args: object, client = ada) => call(client, 'terminal_send', args);
/** Types a line once the shell waits for one. */
async function line(text: string, client = ada) {
  for (;;) {
    const sent = await type({ text }, client);
    if (!sent.text.includes('does not wait for a command at an empty line')) return sent;
  }
}

const RAN = { asked: 0, ok: true };
const ASKED = { asked: 1, ok: false };

/** Waits until the machine is connected again. */
async function online(): Promise<void> {
  while (!(await sides.isOnline())) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Starts a shell, and lends it. */
async function lent(client = ada): Promise<Loan> {
  expect(await call(client, 'terminal_start', {}, 'lend')).toMatchObject({ asked: 1, ok: true });
  const [loan] = await loans();
  if (loan?.session !== session) throw new Error('It was not lent.');
  return loan;
}

describe('a lent terminal', () => {
  it('takes lines, several lines, text for a program and keys without asking, and tells of each', async () => {
    const loan = await lent();
    expect(await line('export GREETING=hello')).toMatchObject(RAN);
    expect(await line('echo "$GREETING" | tr a-z A-Z')).toMatchObject({
      ...RAN,
      text: expect.stringMatching(/HELLO/),
    });
    expect(await line('read -r answer\n')).toMatchObject(RAN);
    expect(await type({ text: 'forty', program: true })).toMatchObject(RAN);
    expect(await type({ text: 'two\n', program: true })).toMatchObject(RAN);
    expect(await line('echo "it is $answer"; sleep 600')).toMatchObject({
      ...RAN,
      text: expect.stringMatching(/it is fortytwo/),
    });
    expect(await type({ keys: ['ctrl-c'] })).toMatchObject(RAN);
    const [told] = await loans();
    expect(told).toMatchObject({ id: loan.id, sends: expect.any(Number) });
    expect(told?.last.slice(0, 2)).toMatchObject([
      { typed: 'ctrl-c', outcome: 'ok' },
      { typed: 'echo "it is $answer"; sleep 600', outcome: 'ok' },
    ]);
    const { entries } = (await sides.owner.call('GET', 'ledger?tool=terminal_send&limit=1')) as {
      entries: { decision: string; because: string }[];
    };
    expect(entries).toMatchObject([{ decision: 'allowed', because: `loan ${loan.id}` }]);
  });

  it('is lent by a yes to something that is typed into it as well', async () => {
    await call(ada, 'terminal_start', {}, 'approve');
    expect(await line('echo first')).toMatchObject(ASKED);
    expect(await call(ada, 'terminal_send', { keys: ['enter'] }, 'lend')).toMatchObject({
      asked: 1,
      ok: true,
    });
    expect(await line('echo second')).toMatchObject({ ...RAN, text: expect.stringMatching(/second/) });
  });

  it('asks again as soon as it is taken back', async () => {
    const { id } = await lent();
    expect(await line('echo before')).toMatchObject(RAN);
    expect(await sides.owner.call('DELETE', `loans/${id}`)).toEqual({ taken_back: 1 });
    expect(await line('echo after')).toMatchObject(ASKED);
    expect(await loans()).toEqual([]);
    await expect(sides.owner.call('DELETE', `loans/${id}`)).rejects.toThrow('There is no such loan.');
  });

  it('is another one under the same name once it was stopped', async () => {
    await lent();
    expect(await call(ada, 'terminal_stop', {})).toMatchObject({ ok: true });
    expect(await loans()).toEqual([]);
    await call(ada, 'terminal_start', {}, 'approve');
    expect(await line('echo again')).toMatchObject(ASKED);
  });

  it('is another one under the same name once its shell ended by itself', async () => {
    await lent();
    expect(await line('exit')).toMatchObject(RAN);
    for (let ended = false; !ended; )
      ended = (await call(ada, 'terminal_read', { wait_seconds: 5 })).text.includes('has ended');
    await call(ada, 'terminal_start', {}, 'approve');
    expect(await line('echo again')).toMatchObject(ASKED);
    expect(await loans()).toEqual([]);
  });

  it('is no other one of the same caller, and none of another caller by that name', async () => {
    await lent();
    const other = { session: `${session}-b` };
    await call(ada, 'terminal_start', other, 'approve');
    expect(await type({ ...other, text: 'echo other\n', program: true })).toMatchObject(ASKED);
    await call(eve, 'terminal_start', {}, 'approve');
    expect(await type({ text: 'echo mine\n', program: true }, eve)).toMatchObject(ASKED);
    expect(await line('echo lent')).toMatchObject(RAN);
    await call(ada, 'terminal_stop', other);
  });

  it('lets nothing else run without asking', async () => {
    await lent();
    expect(await call(ada, 'terminal_start', { session: `${session}-c` })).toMatchObject(ASKED);
    const calling = ada.callTool({ name: 'create_directory', arguments: { path: 'lent' } });
    expect(await decideUntil(calling, sides.owner, { decision: 'deny' })).toBe(1);
    expect(await calling).toMatchObject({ isError: true });
  });

  it('is lent by no token, and by no decision of a caller', async () => {
    const answers: number[] = [];
    const calling = ada.callTool({ name: 'terminal_start', arguments: { session } });
    const bearer = { authorization: `Bearer ${sides.token}`, 'content-type': 'application/json' };
    await decideUntil(
      calling,
      {
        call: async (method, path, body, signal) => {
          if (method === 'POST') {
            const forged = await fetch(`${sides.url}/api/owner/${path}`, {
              method,
              headers: bearer,
              body: JSON.stringify({ decision: 'lend' }),
            });
            answers.push(forged.status);
          }
          return sides.owner.call(method, path, body, signal);
        },
      },
      { decision: 'deny' },
    );
    expect([answers, (await calling).isError]).toEqual([[401], true]);
    const taken = await fetch(`${sides.url}/api/owner/loans`, { method: 'DELETE', headers: bearer });
    const listed = await fetch(`${sides.url}/api/owner/loans`, { headers: bearer });
    expect([taken.status, listed.status, await loans()]).toEqual([401, 401, expect.any(Array)]);
  });

  it('still obeys rules that deny or ask, and asks about whatever could hide from them', async () => {
    const add = async (effect: string, argv: string[]) => {
      const match = { kind: 'argv', argv, options: [], operands: 'any', fields: {} };
      const must = [JSON.stringify({ command: argv.join(' ') })];
      const rule = await sides.owner.call('POST', 'rules', {
        ...{ tool: 'run_in_terminal', machine: null, effect, match, note: '' },
        ...{ examples: { must, mustNot: ['{"command":"true"}'] } },
        ...{ expiresAt: Date.now() + 3_600_000, maxUses: null },
      });
      return (rule as { id: string }).id;
    };
    await lent();
    mkdirSync(join(sides.root, 'kept'), { recursive: true });
    const ids = [await add('deny', ['rmdir']), await add('ask', ['touch'])];
    expect(await line('rmdir kept')).toMatchObject({
      asked: 0,
      ok: false,
      text: expect.stringMatching(/rule/i),
    });
    expect(await line('touch kept/a')).toMatchObject(ASKED);
    expect(await line('ls')).toMatchObject(hasSandbox ? RAN : ASKED);
    for (const hiding of ['sh -c "rm""dir kept"', 'r""mdir kept', '$(echo rmdir) kept', 'ls\nls'])
      expect([hiding, await line(hiding)]).toMatchObject([hiding, { ok: false }]);
    expect(await type({ text: 'rmd', program: true })).toMatchObject(ASKED);
    expect(await type({ keys: ['up', 'enter'] })).toMatchObject(ASKED);
    for (const id of ids) await sides.owner.call('DELETE', `rules/${id}`);
    expect(await line('ls\nls -a')).toMatchObject(RAN);
  });

  it('is lent, listed and taken back in a terminal of its owner', async () => {
    const env = { BOWLINE_HOME: sides.home, BOWLINE_URL: sides.url, BOWLINE_OWNER_KEY: sides.ownerKey };
    const asOwner = (...args: string[]) => runBowline(args, { env });
    expect((await asOwner('loans')).stdout).toBe('No terminal is lent.\n');
    const started = ada.callTool({ name: 'terminal_start', arguments: { session } });
    const code = await untilWaiting(sides.owner, ([one]) => one?.code);
    expect((await asOwner('approvals', 'show', code)).stdout).toContain(`bowline approvals lend ${code}`);
    expect((await asOwner('approvals', 'lend', code)).stdout).toContain('lent for an hour from now');
    expect((await started).isError ?? false).toBe(false);
    expect(await line('echo shown')).toMatchObject(RAN);
    const { stdout } = await asOwner('loans');
    expect(stdout).toMatch(
      /^loan_\w+ {2}tests types into 'work-\d+' on mini, 59 minutes left\n {2}Typed: once\n/,
    );
    expect(stdout).toContain('ok: echo shown\n');
    const [id = ''] = stdout.split(' ');
    expect(await asOwner('loans', 'take-back')).toMatchObject({ code: 2 });
    expect(await asOwner('loans', 'take-back', id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Took the terminal back.'),
    });
    expect(await asOwner('loans', 'take-back', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no such loan.'),
    });
    expect((await asOwner('loans', 'take-back', '--all')).stdout).toBe('No terminal is lent.\n');
    expect(JSON.parse((await asOwner('loans', '--json')).stdout)).toEqual({ loans: [] });
  });

  it('ends with the token of its caller', async () => {
    const { secret, token } = await newToken('short-lived');
    const client = await connect(secret);
    await lent(client);
    await call(client, 'terminal_stop', { interrupt: true });
    await sides.owner.call('DELETE', `tokens/${token.id}`);
    expect(await loans()).toEqual([]);
    await client.close();
  });

  it('stays lent while the gateway is killed and comes back, and ends with its bridge', async () => {
    const { id } = await lent();
    expect(await line('cd /')).toMatchObject(RAN);
    await sides.killGateway();
    await sides.startGateway();
    await online();
    expect((await loans()).map((loan) => loan.id)).toEqual([id]);
    expect(await type({ text: 'pwd\n', program: true })).toMatchObject(RAN);
    await sides.killBridge();
    sides.startBridge();
    await online();
    await call(ada, 'terminal_start', {}, 'approve');
    expect(await type({ text: 'echo again\n', program: true })).toMatchObject(ASKED);
    expect(await loans()).toEqual([]);
  });

  it('is refused by the settings of its machine as it was before', async () => {
    await sides.killBridge();
    writeFileSync(join(sides.home, 'bridge.json'), JSON.stringify({ deny: ['terminal_send'] }));
    sides.startBridge();
    await online();
    await lent();
    expect(await type({ text: 'ls\n', program: true })).toMatchObject({
      ok: false,
      text: expect.stringMatching(/settings forbid/),
    });
  });
});
