import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isUnavailable } from '../../../local-bridge/tools/terminal/confine.ts';
import { environmentOf, findProgram, userShell } from '../../../local-bridge/tools/terminal/environment.ts';
import { openNamespace } from '../../../local-bridge/tools/terminal/namespace.ts';
import { redact } from '../../../src/core/redact.ts';
import { openRig, printedIn } from './rig.ts';

const fixed = { shell: '/bin/sh', temporary: '/tmp/x', mark: 'abc' };

describe('the environment of a command', () => {
  const bridge = {
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
    BOWLINE_OWNER_KEY: 'bwl_owner_x',
    BOWLINE_HOME: '/state',
    bowline_token: 'x',
    CLOUDFLARE_API_TOKEN: 'x',
    GITHUB_TOKEN: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    SSH_AUTH_SOCK: '/run/agent',
    NODE_OPTIONS: '--require=/evil.js',
    LD_PRELOAD: '/evil.so',
    TERM: 'xterm-256color',
    MY_FLAG: '1',
  };

  it('is a short list', () => {
    expect(environmentOf(bridge, [], fixed)).toEqual({
      ...{ PATH: '/bin', HOME: '/home/me', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      ...{ TMPDIR: '/tmp/x', TERM: 'dumb', TERMINAL_RUN: 'abc' },
    });
  });

  it('has what the owner adds, but never what acts as the owner', () => {
    const added = [
      'SSH_AUTH_SOCK',
      'MY_FLAG',
      'NOT_SET',
      'BOWLINE_OWNER_KEY',
      'bowline_token',
      'CLOUDFLARE_API_TOKEN',
    ];
    const environment = environmentOf(bridge, added, fixed);
    expect(environment).toMatchObject({ SSH_AUTH_SOCK: '/run/agent', MY_FLAG: '1', TERM: 'dumb' });
    expect(JSON.stringify(environment)).not.toMatch(/bowline|cloudflare|NOT_SET/i);
  });

  it('is all that a real command finds', async () => {
    // Node hands this on to whatever it starts, where the tests' coverage is counted.
    vi.stubEnv('NODE_V8_COVERAGE', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { run, base } = await openRig({
      env: { GITHUB_TOKEN: 'leak', BOWLINE_OWNER_KEY: 'leak', ALLOWED: 'yes' },
      settings: { environment: ['ALLOWED'] },
    });
    const names = printedIn(await run('env'))
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(
      new Set([
        'PATH',
        'HOME',
        'LANG',
        'SHELL',
        'TMPDIR',
        'TERM',
        'TERMINAL_RUN',
        'PWD',
        'ALLOWED',
        ...(names.includes('_') ? ['_'] : []),
      ]),
    );
    expect(printedIn(await run('echo $HOME'))).toBe(`${base}\n`);
  });

  it('belongs to the shell the user has, or to one that exists', () => {
    expect(userShell({ SHELL: '/bin/sh' })).toBe('/bin/sh');
    expect(userShell({ SHELL: 'sh' })).toMatch(/^\//);
    expect(userShell({ SHELL: '/nowhere/zsh' })).not.toBe('/nowhere/zsh');
    expect(findProgram('sh')).toMatch(/\/sh$/);
    expect(findProgram('/bin/sh')).toBe('/bin/sh');
    expect(findProgram('./sh')).toBeUndefined();
    expect(findProgram('sh', 'bin:.')).toBeUndefined();
    expect(findProgram('no-such-program')).toBeUndefined();
  });
});

const namespaces = !isUnavailable(openNamespace('/tmp'));

describe.skipIf(!namespaces)('without a sandbox but with namespaces', () => {
  it("cannot see the bridge's environment", async () => {
    const { run } = await openRig();
    const seen = printedIn(
      await run(
        'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; echo; cat /proc/*/cmdline | tr "\\0" " "',
      ),
    );
    // As yes or no: a failure must not print what it saw of other processes.
    expect(seen.toLowerCase().includes('vitest')).toBe(false);
    expect(printedIn(await run(`ls /proc/${process.pid} 2>&1 | head -1`))).toMatch(
      /No such file|cannot access/,
    );
  });

  it("finds nothing in Bowline's folder, and cannot uncover it", async () => {
    const { run, home } = await openRig();
    writeFileSync(join(home, 'key'), 'the owner key');
    const tries = [
      `cat ${home}/key`,
      `umount ${home} && cat ${home}/key`,
      `umount -l ${home} && cat ${home}/key`,
      `unshare -m sh -c 'umount ${home}; cat ${home}/key'`,
      `unshare -Urm sh -c 'umount ${home}; cat ${home}/key'`,
      `nsenter -t 1 -m cat ${home}/key`,
      `cat /proc/1/root${home}/key`,
      `echo x > ${home}/new`,
      `cd ${home} && cat key`,
    ];
    const seen = printedIn(await run(tries.map((each) => `{ ${each}; } 2>&1`).join('\n')));
    expect(seen).not.toContain('the owner key');
    expect(printedIn(await run(`ls -A ${home} 2>/dev/null; echo listed`))).toBe('listed\n');
  });
});

describe('openNamespace', () => {
  it('is for Linux alone', () => {
    expect(openNamespace('/tmp', 0, 'darwin')).toEqual({ unavailable: 'Only Linux has process namespaces.' });
  });
});

describe('what is hidden', () => {
  const s = (length: number) => 's'.repeat(length);
  it.each([
    ['bowline-key', `bwl_pat_${s(43)}`],
    ['bowline-token', `owner:${s(16)}:${s(32)}`],
    ['aws-access-key', 'AKIAABCDEFGHIJKLMNOP'],
    ['github-token', `github_pat_${s(60)}`],
    ['google-token', `ya29.${s(40)}`],
    ['pypi-token', `pypi-${s(60)}`],
    ['sendgrid-key', `SG.${s(22)}.${s(43)}`],
    ['age-key', `AGE-SECRET-KEY-1${'Q'.repeat(58)}`],
    ['private-key', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${s(99)}\n-----END PGP PRIVATE KEY BLOCK-----`],
    ['private-key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${s(20)}`],
  ])('%s', (kind, secret) => {
    expect(redact(`a ${secret}`)).toBe(`a [redacted:${kind}]`);
    expect(redact(secret)).toBe(`[redacted:${kind}]`);
  });

  it.each([
    [
      'machine example.com login me password hunter2',
      'machine example.com login me password [redacted:netrc-password]',
    ],
    ['Set-Cookie: id=abcdef; Path=/', 'Set-Cookie: [redacted:cookie]'],
    ['//registry.npmjs.org/:_authToken=abcdef123456', '//registry.npmjs.org/:_authToken=[redacted:secret]'],
    ['aws_secret_access_key = abcd/efgh', 'aws_secret_access_key = [redacted:secret]'],
  ])('with what stands before it kept: %s', (given, shown) => {
    expect(redact(given)).toBe(shown);
  });

  it.each([
    'git status',
    'commit 0123456789abcdef0123456789abcdef01234567',
    'a:b:c',
    '12:34:56',
    'no password here',
    '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
  ])('nothing else: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('a private key to its end, and not what follows', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${`${s(64)}\n`.repeat(50)}-----END PRIVATE KEY-----`;
    expect(redact(`${key}\nmiddle\n${key}\nend`)).toBe(
      '[redacted:private-key]\nmiddle\n[redacted:private-key]\nend',
    );
  });
});
