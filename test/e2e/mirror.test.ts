import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushOnce } from '../../local-bridge/agent/mirror/push.ts';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { runBowline } from '../support/command.ts';
import { newRepo } from '../support/mirror-repo.ts';
import { startUp, type Up } from '../support/up.ts';

const home = mkdtempSync(join(tmpdir(), 'bowline-mirror-'));
const repo = newRepo();
let up: Up;
let env: Record<string, string>;
const before = process.env.BOWLINE_HOME;

beforeAll(async () => {
  process.env.BOWLINE_HOME = home;
  const empty = newRepo();
  up = await startUp({ home, args: ['--root', empty.root] });
  empty.remove();
  env = { BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest, BOWLINE_TOKEN: up.ready.token };
});
afterAll(async () => {
  await up.stop();
  repo.remove();
  rmSync(home, { recursive: true, force: true });
  if (before === undefined) delete process.env.BOWLINE_HOME;
  else process.env.BOWLINE_HOME = before;
});

const authorized = () => ({ authorization: `Bearer ${up.ready.token}` });

async function read(path: string) {
  const response = await fetch(`${up.ready.rest}/tools/read_repo_file`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorized() },
    body: JSON.stringify({ path }),
  });
  return (await response.json()) as { content: string; commit: string };
}

const push = (url = up.ready.rest) =>
  pushOnce({ url, root: repo.root, bearer: async () => authorized(), log: () => undefined });

/**
 * Stands between a push and the gateway, and breaks off: the nth request before it gets through, in the
 * middle of its body, or when its answer is on the way.
 */
async function breakingProxy(
  nth: number,
  where: 'before' | 'within' | 'after',
): Promise<{ url: string; server: Server }> {
  let count = 0;
  const server = createServer(async (request, response) => {
    count += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (count === nth && where === 'before') return void request.socket.destroy();
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const sent = count === nth && where === 'within' ? body.subarray(0, body.length / 2) : body;
    const answer = await fetch(up.ready.rest + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(request.method === 'POST' ? { body: sent } : {}),
    });
    const text = await answer.text();
    if (count === nth) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return { url: `http://127.0.0.1:${address.port}`, server };
}

const NAMES = ['docs/a.md', 'docs/b.md', 'docs/c.md'];
const filesOf = (n: number) =>
  Object.fromEntries(NAMES.map((name) => [name, `${name} ${n} ${'x'.repeat(200)}`]));

describe('bowline mirror', () => {
  it('pushes, says so, and says what is mirrored', async () => {
    const none = await runBowline(['mirror', 'status', '--root', repo.root], { env });
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('Nothing is mirrored yet')]);
    const commit = repo.commit({ ...filesOf(0), '.env': 'TOKEN=x' });
    const pushed = await runBowline(['mirror', 'push', '--root', repo.root], { env });
    expect([pushed.code, pushed.stdout]).toEqual([
      0,
      expect.stringContaining(`Mirrored ${commit.slice(0, 12)}: 3 files.`),
    ]);
    expect(pushed.stdout).toContain('Kept here: 1 files');
    const status = await runBowline(['mirror', 'status', '--root', repo.root], { env });
    expect(status.stdout).toContain(`${commit.slice(0, 12)} is mirrored, as here.`);
    expect(await read('docs/a.md')).toMatchObject({ content: filesOf(0)['docs/a.md'], commit });
  });

  it('stops at a secret with 1, and in a folder without a repo with 1', async () => {
    const other = newRepo();
    other.commit({ 'docs/a.md': `AKIA${'IOSFODNN7EXAMPLE'}` });
    const stopped = await runBowline(['mirror', 'push', '--root', other.root], { env });
    expect([stopped.code, stopped.stderr]).toEqual([
      1,
      expect.stringContaining('docs/a.md:1  aws-access-key'),
    ]);
    const none = await runBowline(['mirror', 'push', '--root', home], { env });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is not in a git repository')]);
    other.remove();
  });
});

describe('who may push, and what', () => {
  const run = (args: string[], more: Record<string, string>) =>
    runBowline(args, { env: { BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest, ...more } });
  const pushAs = (more: Record<string, string>) =>
    run(['mirror', 'push', '--root', repo.root, '--json'], more);

  it('the owner with their key, a token with `push`, and no token that may only write', async () => {
    repo.commit(filesOf(0));
    const key = { BOWLINE_OWNER_KEY: up.ready.owner_key };
    const makeToken = async (scopes: string) => {
      const made = await run(['token', 'create', '--name', scopes, '--scopes', scopes, '--json'], key);
      return (JSON.parse(made.stdout) as { secret: string }).secret;
    };
    for (const scopes of ['read,write,machine', 'write']) {
      const refused = await pushAs({ BOWLINE_TOKEN: await makeToken(scopes) });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('BOWLINE_OWNER_KEY')]);
    }
    expect((await pushAs(key)).code).toBe(0);
    expect((await pushAs({ BOWLINE_TOKEN: await makeToken('push') })).code).toBe(0);
    const { stdout } = await run(['ledger', '--json'], key);
    expect(stdout).toContain('mirror_push');
  });

  it('what the owner opened, whatever the clone says', async () => {
    const key = { BOWLINE_OWNER_KEY: up.ready.owner_key };
    const commit = repo.commit({ ...filesOf(0), 'src/a.ts': 'of src' });
    repo.git('config', '--add', 'bowline.open', '**');
    expect(JSON.parse((await pushAs(key)).stdout)).toMatchObject({ files: 3 });
    expect(await read('src/a.ts')).not.toHaveProperty('content');
    const opened = await run(['mirror', 'open', 'src/**'], key);
    expect([opened.code, opened.stdout]).toEqual([0, expect.stringContaining('src/**')]);
    expect(JSON.parse((await pushAs(key)).stdout)).toMatchObject({ files: 4 });
    expect(await read('src/a.ts')).toMatchObject({ content: 'of src', commit });
    expect((await run(['mirror', 'close', 'src/**'], key)).code).toBe(0);
    expect(await read('src/a.ts')).not.toHaveProperty('content');
    const unfit = await run(['mirror', 'open', 'secrets/**'], key);
    expect([unfit.code, unfit.stderr]).toEqual([2, expect.stringContaining('cannot be opened')]);
  });
});

describe('a push that is killed', () => {
  it('anywhere shows one commit or the other, and the next one goes on', async () => {
    await push();
    let shown = 0;
    for (const where of ['before', 'within', 'after'] as const) {
      // First it asks where the mirror is, then says what there is, then sends what is lacking.
      for (const nth of [1, 2, 3]) {
        const n = shown + 1;
        const commit = repo.commit(filesOf(n));
        const { url, server } = await breakingProxy(nth, where);
        await expect(push(url), `${where} ${nth}`).rejects.toThrow();
        server.closeAllConnections();
        server.close();
        const seen = await Promise.all(NAMES.map(read));
        expect(new Set(seen.map((one) => one.commit)).size).toBe(1);
        // Only when the last answer was lost on its way has the switch been made.
        const isMade = nth === 3 && where === 'after';
        expect(seen.map(({ content }) => content)).toEqual(Object.values(filesOf(isMade ? n : shown)));
        const { sent } = await push();
        // Half of the body holds the whole of the first.
        expect(sent).toBe(isMade ? 0 : nth === 3 && where === 'within' ? 2 : 3);
        expect(await read('docs/b.md')).toMatchObject({ content: filesOf(n)['docs/b.md'], commit });
        shown = n;
      }
    }
  });

  it('after some of its contents arrived is not sent those again', async () => {
    // Each content of 1 MB goes in a request of its own.
    const big = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`docs/big${n}.bin`, Buffer.alloc(1_000_000, n)]),
    );
    repo.commit(big);
    const { url, server } = await breakingProxy(6, 'before');
    await expect(push(url)).rejects.toThrow();
    server.close();
    const { sent } = await push();
    expect(sent).toBe(9);
    expect((await push()).sent).toBe(0);
  });
});

describe('readers', () => {
  it('see one commit whole, while it is replaced under them', async () => {
    const owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
    await owner.call('PUT', 'settings/rates', { value: { read_repo_file: 10_000 } });
    const commits = new Map<string, number>();
    commits.set(repo.commit(filesOf(100)), 100);
    await push();
    let isPushing = true;
    const reader = async () => {
      const seen = new Set<number>();
      while (isPushing) {
        const { content, commit } = await read('docs/c.md');
        const n = commits.get(commit) ?? -1;
        expect(content).toBe(filesOf(n)['docs/c.md']);
        seen.add(n);
      }
      return seen;
    };
    const readers = [reader(), reader()];
    for (let n = 101; n <= 104; n++) {
      commits.set(repo.commit(filesOf(n)), n);
      await push();
    }
    isPushing = false;
    for (const seen of await Promise.all(readers)) expect(seen.size).toBeGreaterThan(0);
    expect(JSON.parse(readFileSync(up.readyFile, 'utf8')).pid).toBe(up.ready.pid);
  });
});

describe('the first push of a large repo', () => {
  it('comes in pieces, goes on wherever it is killed, and shows all of it at once', async () => {
    const files = AT_LENGTH ? 20_000 : 1_200;
    // At length five files share a content, because the local bucket takes long for 20,000.
    const alike = AT_LENGTH ? 5 : 1;
    const large = newRepo();
    const stream = Array.from({ length: files }, (_, n) => {
      const text = `# Note ${Math.floor(n / alike)} of many\n`;
      return `M 100644 inline docs/${Math.floor(n / 100)}/${n}.md\ndata ${text.length}\n${text}\n`;
    });
    const head = 'commit refs/heads/main\ncommitter Ada <ada@example.com> 1767950000 +0000\ndata 3\nall\n';
    execFileSync('git', ['fast-import', '--quiet'], { cwd: large.root, input: head + stream.join('') });
    const { commit: before } = await read('docs/a.md');
    let sent = 0;
    const said: string[] = [];
    const pushLarge = async (url: string) => {
      const pushed = await pushOnce({
        ...{ url, root: large.root, bearer: async () => authorized() },
        log: (line) => said.push(line),
      });
      sent += pushed.sent;
      return pushed;
    };
    for (const [nth, where] of [
      [3, 'before'],
      [4, 'within'],
      // After some contents.
      [Math.ceil(files / 500) + 4, 'after'],
    ] as const) {
      const { url, server } = await breakingProxy(nth, where);
      await expect(pushLarge(url), `${where} ${nth}`).rejects.toThrow();
      server.closeAllConnections();
      server.close();
      expect((await read('docs/a.md')).commit).toBe(before);
    }
    const pushed = await pushLarge(up.ready.rest);
    expect(pushed).toMatchObject({ files, described: files });
    expect(sent).toBeLessThan(files / alike);
    expect(said.at(-1)).toMatch(/^Going on with a push that was interrupted: \d+ of \d+ lists are there\.$/);
    expect(await read('docs/3/333.md')).toMatchObject({ commit: pushed.commit });
    expect(await read('docs/a.md')).not.toHaveProperty('content');
    large.remove();
  }, 600_000);
});
