import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ran, runBowline } from '../support/command.ts';
import { browserStandIn, type Loopback, loopback } from '../support/oauth-loopback.ts';
import { BOWLINE, PROJECT } from '../support/up.ts';

let home: string;
let browser: Awaited<ReturnType<typeof browserStandIn>>;
let gateway: Loopback;
let child: ChildProcess | undefined;
/** Where the gateway says that its owner signs in. */
let signInPage = '';

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-opener-'));
  browser = await browserStandIn(home);
  gateway = await loopback((request, response) => {
    const { origin } = gateway;
    const said: Record<string, object> = {
      '/.well-known/oauth-protected-resource/mcp': {
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: signInPage,
        token_endpoint: `${origin}/oauth/token`,
        registration_endpoint: `${origin}/oauth/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      },
      '/oauth/register': {
        client_id: 'an-app',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
      },
    };
    const body = said[request.url ?? ''];
    response.setHeader('content-type', 'application/json');
    response.statusCode = body ? (request.method === 'POST' ? 201 : 200) : 404;
    response.end(JSON.stringify(body ?? {}));
  });
});

afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await gateway.close();
  await browser.close();
  rmSync(home, { recursive: true, force: true });
});

/** Runs `bowline login` until it ends, or until the stand-in for the browser is asked to open something. */
function login(): Promise<Ran | { opened: string }> {
  const login = spawn('node', [BOWLINE, 'login', gateway.origin], {
    cwd: PROJECT,
    env: { ...process.env, ...browser.env, BOWLINE_HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = login;
  let stdout = '';
  let stderr = '';
  login.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  login.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ran>((done) => login.once('close', (code) => done({ code, stdout, stderr })));
  return Promise.race([ended, browser.opened.next().then((url) => ({ opened: url.href }))]);
}

describe('a gateway that names what is no sign-in page', () => {
  it.each([
    'file:///usr/share/applications/x.desktop',
    'smb://evil.example/share/x.exe',
    'ms-msdt:/id',
    'vscode://evil.example/x',
    'javascript:alert(1)',
    'http://evil.example/authorize',
    'https://user:password@evil.example/authorize',
    '/etc/passwd',
    '--help',
  ])('has nothing opened, and nothing shown as a link: %s', async (address) => {
    signInPage = address;
    const ran = await login();
    expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/not be opened|failed/) });
    expect(browser.opened.count()).toBe(0);
  });

  it('has its page opened if it is one', async () => {
    signInPage = `${gateway.origin}/authorize`;
    const ran = await login();
    expect(ran).toEqual({
      opened: expect.stringContaining(`${signInPage}?response_type=code&client_id=an-app`),
    });
  });
});

it('`bowline console --open` opens no page of another computer without encryption', async () => {
  const { code, stderr } = await runBowline(['console', 'http://192.0.2.1', '--open'], {
    env: { ...browser.env, BOWLINE_HOME: home },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('may not be opened')]);
  expect(browser.opened.count()).toBe(0);
});
