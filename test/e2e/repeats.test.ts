import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPLAYED } from '../../contracts/machine-fields.ts';
import { runBowline } from '../support/command.ts';
import { promised } from '../support/soon.ts';
import { startTwoSides } from '../support/two-sides.ts';

const MACHINE = 'twosided';
/** How long after both sides are back a repeat may be told less than is known. */
const WITHIN_MS = promised(5_000);

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides(MACHINE);
}, 240_000);
afterAll(() => sides?.stop());

const run = (command: string, more: object = {}) =>
  sides.call('run_in_terminal', { command, timeout_seconds: 200, ...more });
const at = (name: string) => join(sides.root, name);
const linesOf = (name: string) => readFileSync(at(name), 'utf8').split('\n').length - 1;

/** A call as a 2025 client sends it that counts its requests from 1 on every new connection. */
async function asOldClient(id: number, args: object) {
  const response = await fetch(`${sides.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${sides.token}`,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'run_in_terminal', arguments: args },
    }),
  });
  const [data = ''] = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return JSON.parse(data.slice('data: '.length)).result;
}

describe('the same command again', () => {
  it('runs again after an edit, and shows what the edit changed', async () => {
    await sides.call('create_file', { path: 'answer.txt', content: 'forty-one' });
    expect((await run('cat answer.txt')).output).toContain('forty-one');
    const edit = { path: 'answer.txt', old_string: 'forty-one', new_string: 'forty-two' };
    expect(await sides.call('replace_string_in_file', edit)).toMatchObject({ success: true });
    const second = await run('cat answer.txt');
    expect(second.output).toContain('forty-two');
    expect(second.replayed).toBeUndefined();
  });

  it('runs again without any change between', async () => {
    const command = 'echo x >> plain; wc -l < plain';
    for (const n of [1, 2, 3]) expect((await run(command)).output).toMatch(new RegExp(`\\b${n}\\n`));
  });

  it('runs again for a client that connects anew and sends the same request id', async () => {
    const args = { command: 'echo x >> counted' };
    for (const n of [1, 2]) {
      expect((await asOldClient(3, args)).structuredContent.success).toBe(true);
      expect(linesOf('counted')).toBe(n);
    }
  });

  it('is answered with the first outcome under the same key, which says so first', async () => {
    const args = { command: 'echo x >> keyed; wc -l < keyed', idempotency_key: 'keyed-1' };
    const first = await asOldClient(3, args);
    const again = await asOldClient(4, args);
    expect(first.structuredContent.replayed).toBeUndefined();
    expect(again.structuredContent).toEqual({ ...first.structuredContent, replayed: true });
    expect(again.content[0].text.split('\n')[0]).toBe(REPLAYED);
    expect((await sides.call('run_in_terminal', args)).replayed).toBe(true);
    const { code, stdout } = await runBowline(['call', 'run_in_terminal', '--input', JSON.stringify(args)], {
      env: { BOWLINE_HOME: sides.home, BOWLINE_URL: sides.url, BOWLINE_TOKEN: sides.token },
    });
    expect([code, stdout.split('\n')[0]]).toEqual([0, REPLAYED]);
    expect(linesOf('keyed')).toBe(1);
  });
});

describe('a repeat under the same key, of a call that a killed gateway took along', () => {
  const commandFor = (name: string) =>
    `echo run >> ${name}.runs; until [ -e ${name}.go ]; do sleep 0.1; done; echo over; touch ${name}.over`;
  const begin = async (name: string) => {
    const args = { command: commandFor(name), timeout_seconds: 200, idempotency_key: `key-${name}` };
    const lost = sides.call('run_in_terminal', args).catch(() => undefined);
    await expect.poll(() => existsSync(at(`${name}.runs`)), { timeout: 60_000 }).toBe(true);
    return { args, lost };
  };
  const backOnline = () => expect.poll(() => sides.isOnline(), { timeout: 60_000 }).toBe(true);

  it('is told that it runs, and then what came of it', async () => {
    const { args, lost } = await begin('first');
    await sides.killGateway();
    await lost;
    await sides.startGateway();
    await backOnline();
    const running = await sides.call('run_in_terminal', args);
    expect(running).toMatchObject({ code: 'call_in_progress', call_id: expect.stringMatching(/^call_/) });
    expect(running.message).toContain(`running on ${MACHINE}`);
    expect(await sides.call('get_call', { call_id: running.call_id })).toMatchObject({ state: 'running' });
    writeFileSync(at('first.go'), '');
    await expect
      .poll(() => sides.call('run_in_terminal', args), { timeout: WITHIN_MS })
      .toMatchObject({ replayed: true, output: expect.stringContaining('over') });
    expect(linesOf('first.runs')).toBe(1);
    const { entries } = (await sides.owner.call('GET', 'ledger?tool=run_in_terminal&limit=50')) as {
      entries: { id: string; outcome: string | null }[];
    };
    expect(entries.find(({ id }) => id === running.call_id)?.outcome).toBe('ok');
  });

  it('is told what came of it while the gateway was away', async () => {
    const { args, lost } = await begin('second');
    await sides.killGateway();
    await lost;
    writeFileSync(at('second.go'), '');
    await expect.poll(() => existsSync(at('second.over')), { timeout: 20_000 }).toBe(true);
    await sides.startGateway();
    await backOnline();
    await expect
      .poll(() => sides.call('run_in_terminal', args), { timeout: WITHIN_MS })
      .toMatchObject({ replayed: true, output: expect.stringContaining('over') });
    expect(linesOf('second.runs')).toBe(1);
  });

  it('is told that nobody knows if the bridge was killed, too: first that it may be known later, then for good', async () => {
    const { args, lost } = await begin('third');
    await Promise.all([sides.killGateway(), sides.killBridge()]);
    await lost;
    await sides.startGateway();
    const away = await sides.call('run_in_terminal', args);
    expect(away).toMatchObject({ code: 'outcome_unknown' });
    expect(away.message).toContain(`${MACHINE}, which has not been connected since`);
    sides.startBridge();
    await backOnline();
    await expect
      .poll(async () => (await sides.call('run_in_terminal', args)).message, { timeout: WITHIN_MS })
      .toContain('not known whether it took effect');
    const { code, suggestion } = await sides.call('run_in_terminal', args);
    expect([code, suggestion]).toEqual([
      'outcome_unknown',
      expect.not.stringMatching(/try again|once more/i),
    ]);
    expect(linesOf('third.runs')).toBe(1);
  });
});

describe('a call whose token is revoked while it runs', () => {
  it('is answered with no word of its result, but with the truth that it may have run', async () => {
    const made = await sides.owner.createToken({ name: 'short', scopes: ['machine'], days: 1 });
    const said = 'printed-before-the-end';
    const command = `echo ${said} | tee cut.runs; until [ -e cut.go ]; do sleep 0.1; done`;
    const answering = fetch(`${sides.url}/tools/run_in_terminal`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${made.secret}` },
      body: JSON.stringify({ command, timeout_seconds: 200 }),
    });
    await expect.poll(() => existsSync(at('cut.runs')), { timeout: 60_000 }).toBe(true);
    const principal = `token:${made.token.id}`;
    await sides.owner.call('DELETE', `tokens/${made.token.id}`);
    const answer = await answering;
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).code]).toEqual([401, 'unauthorized']);
    expect(JSON.parse(text).message).toContain('the call may have run: its end is in the ledger');
    expect(JSON.parse(text).suggestion).not.toMatch(/try again|once more/i);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(text).not.toContain(said);
    // The next request is told that it did not begin.
    const next = await fetch(`${sides.url}/tools/run_in_terminal`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${made.secret}` },
      body: JSON.stringify({ command }),
    });
    expect([next.status, (await next.json()).message]).toEqual([401, 'This call carries no valid sign-in.']);
    // The ledger has what the answer promised.
    await expect
      .poll(
        async () => {
          const query = `ledger?principal=${encodeURIComponent(principal)}`;
          const { entries } = (await sides.owner.call('GET', query)) as {
            entries: { decision: string; outcome: string | null; code: string | null }[];
          };
          return entries;
        },
        { timeout: 60_000 },
      )
      .toMatchObject([{ decision: 'approved', outcome: 'failed', code: 'cancelled' }]);
  });
});

describe('a call whose bridge was cut off', () => {
  const begin = async (name: string) => {
    const command = `echo run >> ${name}.runs; until [ -e ${name}.go ]; do sleep 0.1; done; echo over`;
    const args = { command, timeout_seconds: 200, idempotency_key: `key-${name}` };
    const answer = sides.call('run_in_terminal', args);
    await expect.poll(() => existsSync(at(`${name}.runs`)), { timeout: 60_000 }).toBe(true);
    return { args, answer };
  };
  const isOnline = () => expect.poll(() => sides.isOnline(), { timeout: 60_000 }).toBe(true);

  it('is unknown at once when the bridge was killed and is back', async () => {
    const { args, answer } = await begin('killed');
    await sides.killBridge();
    sides.startBridge();
    await isOnline();
    const [told] = await Promise.race([
      Promise.all([answer]),
      new Promise<never>((_, fail) => setTimeout(() => fail(new Error('no answer')), WITHIN_MS)),
    ]);
    expect(told.code).toBe('outcome_unknown');
    expect((await sides.call('run_in_terminal', args)).code).toBe('outcome_unknown');
    expect(linesOf('killed.runs')).toBe(1);
  });

  it('has its outcome when the bridge was stopped until nobody believed in it, and goes on', async () => {
    const { args, answer } = await begin('stopped');
    sides.signalBridge('SIGSTOP');
    const told = await answer;
    expect(told.code).toBe('still_running');
    await expect
      .poll(async () => (await sides.call('run_in_terminal', args)).code, {
        timeout: 60_000,
        interval: 1_000,
      })
      .toBe('outcome_unknown');
    writeFileSync(at('stopped.go'), '');
    sides.signalBridge('SIGCONT');
    await isOnline();
    await expect
      .poll(() => sides.call('run_in_terminal', args), { timeout: WITHIN_MS })
      .toMatchObject({ replayed: true, output: expect.stringContaining('over') });
    expect(linesOf('stopped.runs')).toBe(1);
  }, 240_000);

  it('is unknown at once when the machine was revoked', async () => {
    const { answer } = await begin('revoked');
    const { machines } = (await sides.owner.call('GET', 'machines')) as { machines: { id: string }[] };
    await sides.owner.call('DELETE', `machines/${machines[0]?.id}`);
    const revokedAt = performance.now();
    const told = await answer;
    expect(performance.now() - revokedAt).toBeLessThan(WITHIN_MS);
    expect(told.code).toBe('outcome_unknown');
    expect(told.suggestion).not.toMatch(/try again|once more/i);
  });
});
