import { createHash, createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, deployFrom, type StandInState } from '../../support/deploy.ts';
import { doctorGateway } from '../../support/doctor-gateway.ts';

const URL_THERE = 'https://bowline.me.workers.dev';
const QUICK = { yes: true, doctor: false };

let bench: ReturnType<typeof deployFrom> | undefined;
afterEach(() => bench?.forget());
const from = (start: Partial<StandInState> = {}, address = URL_THERE) => {
  bench = deployFrom(address, start);
  return bench;
};

const keyIn = (stdout: string) => /bwl_owner_[\w-]{43}/.exec(stdout)?.[0];
const hash = (key: string | undefined) =>
  createHash('sha256')
    .update(key ?? '')
    .digest('hex');
const stateIn = (home: string) => JSON.parse(readFileSync(join(home, 'deploy.json'), 'utf8'));
const names = (calls: { args: string[] }[]) =>
  calls.map(({ args }) => args.filter((arg) => /^[a-z0-9]+$/.test(arg) && arg !== 'bowline').join(' '));
const varsOf = (args: readonly string[] = []) => args.filter((_, i) => args[i - 1] === '--var');

describe('bowline deploy', () => {
  it('deploys to an empty account, shows the owner key once, and looks at what it made', async () => {
    const gateway = await doctorGateway();
    try {
      const { deployAsUsersDo, calls, account, home } = from({}, gateway.origin);
      const { code, stdout, stderr } = await deployAsUsersDo(['--yes']);
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(names(calls())).toEqual([
        'whoami',
        'r2 bucket list',
        'secret list',
        'kv namespace list',
        'deploy',
        'secret bulk',
        'deploy',
      ]);
      const [, , , , first, bulk, second] = calls();
      expect(varsOf(first?.args)).toEqual([]);
      expect(varsOf(second?.args)).toEqual([`PUBLIC_URL:${gateway.origin}`, 'ALLOWED_HOSTS:127.0.0.1']);
      expect(Object.keys(JSON.parse(bulk?.stdin ?? ''))).toEqual(['OWNER_KEY_HASH', 'MEMORY_KEY']);
      expect(account().secrets.OWNER_KEY_HASH).toBe(hash(keyIn(stdout)));
      const der = Buffer.from(account().secrets.MEMORY_KEY ?? '', 'base64');
      expect(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).asymmetricKeyType).toBe('ed25519');
      expect(stdout.split(keyIn(stdout) ?? '')).toHaveLength(2);
      expect(stdout).toContain(`Connector: ${gateway.origin}/mcp`);
      expect(stdout).toContain('Every hop that was checked works.');
      expect(stateIn(home)).toMatchObject({
        name: 'bowline',
        account: ACCOUNT,
        url: gateway.origin,
        ownerKey: 'shown',
      });
    } finally {
      await gateway.close();
    }
  });

  it('lets nothing secret into arguments, files or the environment of what it starts', async () => {
    const { deploy, calls, account, home } = from();
    const { stdout } = await deploy({ ...QUICK, github: 'me/notes' }, { BOWLINE_OWNER_KEY: 'bwl_owner_x' });
    const secret = [...Object.values(account().secrets), keyIn(stdout) ?? ''];
    expect(secret).toHaveLength(4);
    const open = [
      ...calls().map(({ args, env }) => JSON.stringify([args, env])),
      readFileSync(join(home, 'deploy.json'), 'utf8'),
      readFileSync(join(home, 'deploy', 'wrangler.toml'), 'utf8'),
    ].join('\n');
    for (const one of [...secret, 'bwl_owner_x']) expect(open).not.toContain(one);
    expect(calls().every(({ env }) => env.CI === 'true')).toBe(true);
    expect(statSync(join(home, 'deploy.json')).mode & 0o777).toBe(0o600);
  });

  it('upgrades the second time: asks nothing, sets nothing again, deploys once', async () => {
    const { deploy, calls, account } = from();
    await deploy(QUICK);
    const before = account().secrets;
    const done = calls().length;
    const { code, stdout } = await deploy({ doctor: false });
    expect(code).toBe(0);
    expect(names(calls().slice(done))).toEqual(['whoami', 'r2 bucket list', 'secret list', 'deploy']);
    expect(varsOf(calls().at(-1)?.args)).toContain(`PUBLIC_URL:${URL_THERE}`);
    expect(calls().at(-1)?.env.CLOUDFLARE_ACCOUNT_ID).toBe(ACCOUNT.id);
    expect(account().secrets).toEqual(before);
    expect(keyIn(stdout)).toBeUndefined();
  });

  it('with --dry-run prints every step and takes none', async () => {
    const { deploy, calls, home } = from();
    const { code, stdout } = await deploy({ dryRun: true, github: 'me/notes' });
    expect(code).toBe(0);
    for (const step of [
      'whoami',
      'r2 bucket list',
      'secret list',
      'kv namespace list',
      'deploy',
      'secret bulk',
      'bowline doctor',
    ]) {
      expect(stdout).toContain(step);
    }
    expect(stdout).toContain('OWNER_KEY_HASH, MEMORY_KEY, GITHUB_WEBHOOK_SECRET, by stdin');
    expect(calls()).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });

  it('does not begin without being told to where nobody can be asked', async () => {
    const { deploy, calls } = from();
    const { code, stderr } = await deploy({});
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(names(calls())).toEqual(['whoami']);
  });

  const broken: [what: string, start: Partial<StandInState>, says: RegExp, cure: RegExp][] = [
    ['nobody is signed in', { accounts: undefined as never }, /Nobody is signed in/, /npx wrangler login/],
    [
      'there are several accounts',
      { accounts: [ACCOUNT, { id: 'b'.repeat(32), name: 'Other' }] },
      /Which account.*Other/s,
      /--account/,
    ],
    [
      'R2 is off',
      { fails: [{ on: 'r2', says: 'Please enable R2 through the Cloudflare Dashboard. [code: 10042]' }] },
      /Checking whether R2 is on did not work/,
      /R2 is not on.*run `bowline deploy` again/s,
    ],
    [
      'there is no workers.dev name',
      { fails: [{ on: 'deploy', says: 'You need to register a workers.dev subdomain before publishing' }] },
      /Deploying the gateway did not work/,
      /onboarding.*run `bowline deploy` again/s,
    ],
    [
      'Cloudflare is out of reach',
      { fails: [{ on: 'secret bulk', says: 'fetch failed' }] },
      /Setting the secrets did not work/,
      /Try again.*run `bowline deploy` again/s,
    ],
    ['no address comes back', { address: 'bowline has no targets' }, /names no address/, /--url/],
  ];
  it('prints no more than a few lines when it fails', async () => {
    const { code, stderr } = await from({ fails: [{ on: 'r2', says: 'code: 10042' }] }).deployAsUsersDo([
      '--yes',
      '--no-doctor',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^✗ Checking whether R2 is on did not work/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each(broken)('says what to do when %s', async (_what, start, says, cure) => {
    const { deploy } = from(start);
    const { code, stdout, stderr } = await deploy(QUICK);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(cure);
    expect(keyIn(stdout)).toBeUndefined();
  });

  it('goes on from the step that failed', async () => {
    const { deploy, change, account, calls } = from({ fails: [{ on: 'secret bulk', says: 'fetch failed' }] });
    expect((await deploy(QUICK)).code).toBe(1);
    change({ fails: [] });
    const done = calls().length;
    const { code, stdout } = await deploy({ doctor: false });
    expect(code).toBe(0);
    expect(account().secrets.OWNER_KEY_HASH).toBe(hash(keyIn(stdout)));
    // Its address is known by now, so one deployment is enough.
    expect(names(calls().slice(done)).filter((name) => name === 'deploy')).toHaveLength(1);
    expect(varsOf(calls().at(-2)?.args)).toContain(`PUBLIC_URL:${URL_THERE}`);
  });

  it('makes a new owner key if the last one may never have been shown', async () => {
    const { deploy, account, home } = from();
    await deploy(QUICK);
    const before = account().secrets;
    writeFileSync(join(home, 'deploy.json'), JSON.stringify({ ...stateIn(home), ownerKey: 'setting' }));
    const { stdout } = await deploy({ doctor: false });
    expect(account().secrets.OWNER_KEY_HASH).toBe(hash(keyIn(stdout)));
    expect(account().secrets.OWNER_KEY_HASH).not.toBe(before.OWNER_KEY_HASH);
    expect(account().secrets.MEMORY_KEY).toBe(before.MEMORY_KEY);
  });

  it('with --new-owner-key replaces that one secret', async () => {
    const { deploy, account } = from();
    const old = keyIn((await deploy(QUICK)).stdout);
    const { MEMORY_KEY } = account().secrets;
    const { stdout } = await deploy({ doctor: false, newOwnerKey: true });
    expect(keyIn(stdout)).not.toBe(old);
    expect(account().secrets).toEqual({ OWNER_KEY_HASH: hash(keyIn(stdout)), MEMORY_KEY });
  });

  it('takes over what was deployed from another computer, keys and all', async () => {
    const secrets = { OWNER_KEY_HASH: 'h', MEMORY_KEY: 'm' };
    const { deploy, account, calls } = from({ deployed: true, secrets, reports: false });
    const { code, stdout } = await deploy(QUICK);
    expect(code).toBe(0);
    expect(account().secrets).toEqual(secrets);
    expect(stdout).toContain('--new-owner-key');
    expect(varsOf(calls().at(-1)?.args)).toContain(`PUBLIC_URL:${URL_THERE}`);
  });

  it('uses a domain of the owner’s, with one deployment', async () => {
    const { deploy, calls } = from();
    const { code, stdout } = await deploy({ ...QUICK, url: new URL('https://bowline.example.com') });
    expect(code).toBe(0);
    expect(names(calls()).filter((name) => name === 'deploy')).toHaveLength(1);
    const { args = [] } = calls().find(({ args: [what] }) => what === 'deploy') ?? {};
    expect(args.join(' ')).toContain('--domain bowline.example.com');
    expect(varsOf(args)).toEqual([
      'PUBLIC_URL:https://bowline.example.com',
      'ALLOWED_HOSTS:bowline.example.com',
    ]);
    expect(stdout).toContain('https://bowline.example.com/mcp');
  });

  it('prints the webhook’s secret and address once', async () => {
    const { deploy, account, calls } = from();
    const { stdout } = await deploy({ ...QUICK, github: 'me/notes' });
    expect(stdout).toContain(account().secrets.GITHUB_WEBHOOK_SECRET);
    expect(stdout).toContain(`${URL_THERE}/hooks/github`);
    expect(varsOf(calls().at(-1)?.args)).toContain('GITHUB_REPO:me/notes');
    const again = await deploy({ doctor: false });
    expect(again.stdout).not.toContain(account().secrets.GITHUB_WEBHOOK_SECRET);
    expect(varsOf(calls().at(-1)?.args)).toContain('GITHUB_REPO:me/notes');
  });

  it('refuses to mix deployments up', async () => {
    const { deploy, change } = from();
    await deploy(QUICK);
    const renamed = await deploy({ ...QUICK, name: 'other' });
    expect(renamed.code).toBe(2);
    expect(renamed.stderr).toContain('BOWLINE_HOME');
    change({ accounts: [{ id: 'b'.repeat(32), name: 'Other' }, ACCOUNT] });
    const moved = await deploy({ ...QUICK, account: 'Other' });
    expect(moved.code).toBe(2);
    expect(moved.stderr).toContain(ACCOUNT.name);
  });

  it.each([
    ['--name', 'Bow Line'],
    ['--url', 'http://bowline.example.com'],
  ])('does not take %s %s', async (option, value) => {
    const { code } = await from().deployAsUsersDo([option, value]);
    expect(code).toBe(2);
  });

  it('goes back only to a version of the same database and secrets, and says why not', async () => {
    const { deploy, calls, home } = from();
    expect((await deploy({ rollBack: true })).stderr).toContain('Nothing is deployed from here.');
    await deploy(QUICK);
    const back = () => deploy({ ...QUICK, rollBack: true });
    expect((await back()).stderr).toContain('There is no version to go back to.');
    await deploy({ doctor: false });
    const known = stateIn(home);
    const older = { ...known, previous: { ...known.previous, schema: 'older' } };
    writeFileSync(join(home, 'deploy.json'), JSON.stringify(older));
    expect((await back()).stderr).toMatch(/does not know the database.*Restore a backup/s);
    expect(calls().filter(({ args: [what] }) => what === 'rollback')).toEqual([]);
    writeFileSync(join(home, 'deploy.json'), JSON.stringify(known));
    expect((await back()).code).toBe(0);
    expect(calls().at(-1)?.args.slice(0, 4)).toEqual(['rollback', known.previous.id, '--name', 'bowline']);
  });

  it('ends with 1 if what was deployed does not work', async () => {
    const gateway = await doctorGateway({ tools: [] });
    try {
      const { code, stdout } = await from({}, gateway.origin).deploy({ yes: true });
      expect(code).toBe(1);
      expect(stdout).toContain('The first failing hop is Claude › tool list.');
    } finally {
      await gateway.close();
    }
  });
});
