import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfCheck } from '../../local-bridge/local/up/self-check.ts';
import { startUp, type Up } from '../support/up.ts';

let home: string;
let running: Up;
let port: number;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-kept-connections-'));
  running = await startUp({ home, opensNothing: true });
  port = Number(new URL(running.ready.rest).port);
});
afterAll(async () => {
  await running?.stop();
  rmSync(home, { recursive: true, force: true });
});

const PAIRS = 500;
const SIZES = [40_000, 66_000, 100_000, 300_000];

/** Ways to be refused before the gateway has read the whole body, and with which status. */
const REFUSED: readonly (readonly [string, readonly number[]])[] = [
  ['/mcp', [401]],
  ['/no/such/path', [404]],
  // The second one where the minute of the first test is over.
  ['/tools/no_such_tool', [429, 404]],
  ['/api/owner/session', [413]],
];

/** How many of the pairs ended like that: path and status of a refused POST, and the status of the next request. */
type Tally = Record<string, number>;

function expectAllRefusedWell(tally: Tally) {
  const wanted = REFUSED.flatMap(([path, statuses]) => statuses.map((status) => `${path} ${status} 200`));
  expect(Object.keys(tally).filter((one) => !wanted.includes(one))).toEqual([]);
  expect(Object.values(tally).reduce((sum, count) => sum + count, 0)).toBe(PAIRS);
  expect(tally['/tools/no_such_tool 429 200']).toBeGreaterThan(0);
}

const pathOf = (i: number) => REFUSED[i % REFUSED.length]?.[0] ?? '';
const bodyOf = (path: string, i: number) =>
  // Only a body over the limit of that path is refused for its size.
  'a'.repeat(
    Math.max(path === '/api/owner/session' ? 66_000 : 0, SIZES[Math.floor(i / 4) % SIZES.length] ?? 0),
  );

async function pairs(send: (method: string, path: string, body?: string) => Promise<number | string>) {
  const tally: Tally = {};
  for (let i = 0; i < PAIRS; i++) {
    const path = pathOf(i);
    const refused = await send('POST', path, bodyOf(path, i));
    const outcome = `${path} ${refused} ${await send('GET', '/healthz')}`;
    tally[outcome] = (tally[outcome] ?? 0) + 1;
  }
  return tally;
}

const errorOf = (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error);

it('a stranger’s calls of tools are too many after 120 in a minute', async () => {
  for (let i = 0; i < 120; i++)
    expect((await fetch(`${running.ready.rest}/tools/no_such_tool`, { method: 'POST' })).status).toBe(404);
});

it('Node’s fetch loses no request after a POST that was refused unread', { timeout: 300_000 }, async () => {
  const tally = await pairs(async (method, path, body) => {
    try {
      const headers = { 'content-type': 'application/json' };
      const init = body === undefined ? { method } : { method, body, headers };
      const response = await fetch(running.ready.rest + path, init);
      await response.text();
      return response.status;
    } catch (error) {
      return errorOf(error);
    }
  });
  expectAllRefusedWell(tally);
});

it('Node’s http with an agent loses none either, on one connection', { timeout: 300_000 }, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let connections = 0;
  const tally = await pairs(
    (method, path, body) =>
      new Promise((done) => {
        const headers = body === undefined ? {} : { 'content-type': 'application/json' };
        const sent = request({ host: '127.0.0.1', port, method, path, agent, headers }, async (response) => {
          await text(response);
          done(response.statusCode ?? 0);
        });
        sent.once('socket', () => {
          if (!sent.reusedSocket) connections += 1;
        });
        sent.once('error', (error) => done(errorOf(error)));
        if (body !== undefined) sent.write(body);
        sent.end();
      }),
  );
  agent.destroy();
  expectAllRefusedWell(tally);
  expect(connections).toBe(1);
});

const PYTHON = `
import http.client, json, sys
port, pairs, sizes, paths = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), json.loads(sys.argv[4])
connection = http.client.HTTPConnection('127.0.0.1', port)
tally = {}
def send(method, path, body=None):
    try:
        connection.request(method, path, body, {'content-type': 'application/json'} if body else {})
        response = connection.getresponse()
        response.read()
        return str(response.status)
    except Exception as error:
        connection.close()
        return repr(error)
for i in range(pairs):
    path = paths[i % len(paths)]
    size = max(66000 if path == '/api/owner/session' else 0, sizes[i // 4 % len(sizes)])
    outcome = path + ' ' + send('POST', path, b'a' * size) + ' ' + send('GET', '/healthz')
    tally[outcome] = tally.get(outcome, 0) + 1
print(json.dumps(tally))
`;

it.skipIf(spawnSync('python3', ['--version']).error)(
  'Python’s http.client loses none either',
  { timeout: 300_000 },
  async () => {
    const paths = JSON.stringify(REFUSED.map(([path]) => path));
    const args = ['-c', PYTHON, String(port), String(PAIRS), JSON.stringify(SIZES), paths];
    const { stdout } = await promisify(execFile)('python3', args);
    expectAllRefusedWell(JSON.parse(stdout));
  },
);

it('a body that stops coming holds the refusal up for some seconds, and not for longer', async () => {
  const started = performance.now();
  const status = await new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json', 'content-length': 1_000_000 };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers }, (response) => {
      done(response.statusCode);
      sent.destroy();
    });
    sent.once('error', failed);
    sent.write('{');
  });
  expect(status).toBe(401);
  expect(performance.now() - started).toBeLessThan(30_000);
});

it('does not end a start when a connection is gone as a request leaves', async () => {
  const cut = new Set<string>();
  // Ends the connection of each tool's first call without an answer, as the runtime does with one that was idle too long.
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    far.pipe(near);
    near.on('data', (data) => {
      const tool = /"name":"(hello|list_machines|list_dir)"/.exec(data.toString())?.[1];
      if (tool === undefined || cut.has(tool)) {
        far.write(data);
        return;
      }
      cut.add(tool);
      near.destroy();
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port: cutting } = proxy.address() as AddressInfo;
  const { machines } = await fetch(`${running.ready.rest}/tools/list_machines`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.ready.token}`, 'content-type': 'application/json' },
    body: '{}',
  }).then((response) => response.json() as Promise<{ machines: { name: string }[] }>);
  const name = machines[0]?.name ?? '';
  try {
    await selfCheck(`http://localhost:${cutting}/mcp`, running.ready.token, { name, ping: async () => {} });
    expect([...cut].toSorted()).toEqual(['hello', 'list_dir', 'list_machines']);
  } finally {
    proxy.close();
  }
});
