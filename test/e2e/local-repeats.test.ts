import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPLAYED } from '../../contracts/machine-fields.ts';
import { type LocalGate, openLocalGate } from '../../local-bridge/local/gate/local-gate.ts';
import { BOWLINE } from '../support/up.ts';

let base: string;
let gate: LocalGate;
let deciding: NodeJS.Timeout;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-local-')));
  for (const name of ['home', 'root']) mkdirSync(join(base, name), { mode: 0o700 });
  gate = openLocalGate(join(base, 'home'));
  // An owner who says yes to whatever waits.
  deciding = setInterval(() => {
    for (const { code } of gate.now().approvals('pending')) gate.now().decide(code, 'approve', 'me', true);
  }, 100);
});
afterEach(() => {
  clearInterval(deciding);
  gate.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (name: string) => join(base, 'root', name);
const linesOf = (name: string) => readFileSync(at(name), 'utf8').split('\n').length - 1;

function start(args: readonly string[]) {
  const child = spawn('node', [BOWLINE, ...args], {
    cwd: join(base, 'root'),
    env: { ...process.env, NO_COLOR: '1', BOWLINE_HOME: join(base, 'home') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { child, ended: new Promise<string>((done) => child.once('close', () => done(output))) };
}

describe('a repeat under the same key, without a gateway', () => {
  const args = {
    command: 'echo run >> runs; until [ -e go ]; do sleep 0.1; done',
    timeout_seconds: 200,
    idempotency_key: 'k',
  };
  const call = () => start(['call', 'run_in_terminal', '--local', '--json', '--input', JSON.stringify(args)]);

  it('is told that the first runs, that nobody knows once its process was killed, and never runs', async () => {
    const first = call();
    await expect.poll(() => existsSync(at('runs')), { timeout: 60_000 }).toBe(true);
    expect(JSON.parse(await call().ended).code).toBe('call_in_progress');
    first.child.kill('SIGKILL');
    await first.ended;
    const { code, message } = JSON.parse(await call().ended);
    expect([code, message]).toEqual(['outcome_unknown', expect.stringContaining('not known whether')]);
    expect(linesOf('runs')).toBe(1);
  });

  it('is given the outcome of the first, which says so', async () => {
    writeFileSync(at('go'), '');
    expect(JSON.parse(await call().ended).replayed).toBeUndefined();
    expect(JSON.parse(await call().ended)).toMatchObject({ success: true, replayed: true });
    expect(linesOf('runs')).toBe(1);
  });
});

describe('`bowline mcp` over one connection', () => {
  it('runs the same command again, but no request twice', async () => {
    const { child, ended } = start(['mcp']);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answer = async () => JSON.parse((await lines.next()).value ?? '').result;
    const clientInfo = { name: 'tests', version: '1.0.0' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    await answer();
    send({ method: 'notifications/initialized' });
    const run = (id: number) => {
      const params = { name: 'run_in_terminal', arguments: { command: 'echo run >> runs' } };
      send({ id, method: 'tools/call', params });
      return answer();
    };
    for (const [id, runs] of [
      [2, 1],
      [3, 2],
    ] as const) {
      expect((await run(id)).structuredContent).toMatchObject({ success: true });
      expect(linesOf('runs')).toBe(runs);
    }
    const { structuredContent, content } = await run(3);
    expect([structuredContent.replayed, content[0].text.split('\n')[0]]).toEqual([true, REPLAYED]);
    expect(linesOf('runs')).toBe(2);
    child.stdin.end();
    await ended;
  });
});
