import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBowline } from '../../support/command.ts';

let body = '';
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json').end(body);
});
const home = mkdtempSync(join(tmpdir(), 'bowline-no-gateway-'));
let url = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(home, { recursive: true, force: true });
});

it.each([
  ['an empty object', '{}'],
  ['null', 'null'],
  ['a page', '<h1>Welcome</h1>'],
])('says in a sentence that what answers with %s is no gateway', async (_, answer) => {
  body = answer;
  const env = {
    ...{ BOWLINE_HOME: home, BOWLINE_URL: url, BOWLINE_OWNER_KEY: `bwl_owner_${'x'.repeat(43)}` },
    BOWLINE_TOKEN: 'bwl_pat_x',
  };
  const run = async (...args: string[]) => {
    const { code, stderr } = await runBowline(args, { env });
    expect(code, stderr).not.toBe(0);
    expect(stderr).not.toContain('"code"');
    return stderr;
  };
  const [paired, asked, verified, listed] = await Promise.all([
    run('pair', url, '--name', 'mini'),
    run('approvals'),
    run('memory', 'verify'),
    run('machines'),
  ]);
  for (const said of [paired, asked, verified])
    expect(said).toContain(`${url} does not answer as a Bowline gateway does.`);
  expect(listed).toContain('An answer has another form than this version of Bowline understands.');
});
