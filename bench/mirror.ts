import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pushOnce } from '../local-bridge/agent/mirror/push.ts';
import { signInAsOwner } from '../local-bridge/lib/owner-client.ts';
import { freePort } from '../local-bridge/lib/processes.ts';
import { type Gateway, startGateway } from '../local-bridge/local/up/gateway.ts';
import { localSecrets } from '../local-bridge/local/up/local-secrets.ts';
import { figure, RUNS } from './support/figures.ts';
import { closeConnections, type Shot, send } from './support/load.ts';

/**
 * Measures pushing a change of one file into a large mirror, against `git push` of the same commit to a bare repo on
 * this disk, in turns. Also measures reading a file, against a Worker that only reads the bucket. Both gateways run
 * under workerd, whose bucket is a disk.
 */
const FILES = Number(process.env.BENCH_FILES ?? 50_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const READS = Number(process.env.BENCH_REQUESTS ?? 300);

const home = mkdtempSync(join(tmpdir(), 'bowline-bench-'));
process.env.BOWLINE_HOME = home;
const root = join(home, 'repo');
const bare = join(home, 'bare.git');

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', '-c', 'gc.auto=0', ...args], {
    cwd: root,
  });

/** Makes a file's text. There are only a thousand different ones, so that filling the mirror does not take the time. */
const content = (n: number) =>
  `# File ${n % 1_000}\n\n${'some words of a note that is about as long as notes are '.repeat(20)}\n`;
const pathOf = (n: number) => `docs/${Math.floor(n / 100)}/note-${n}.md`;

function makeRepo(): void {
  mkdirSync(root);
  git('init', '--quiet', '--initial-branch=main');
  for (let n = 0; n < FILES; n++) {
    if (n % 100 === 0) mkdirSync(join(root, 'docs', String(n / 100)), { recursive: true });
    writeFileSync(join(root, pathOf(n)), content(n));
  }
  git('add', '.');
  git('commit', '--quiet', '-m', 'all');
  git('init', '--quiet', '--bare', bare);
  git('remote', 'add', 'bare', bare);
  git('push', '--quiet', 'bare', 'main');
}

async function started(
  name: string,
  other?: { config: string; entry: string },
): Promise<{ gateway: Gateway; ownerKey: string }> {
  const port = await freePort(0);
  const stateFolder = join(home, name);
  mkdirSync(stateFolder);
  const { envFile, ownerKey } = localSecrets(stateFolder);
  const vars = { PUBLIC_URL: `http://localhost:${port}` };
  const gateway = startGateway({ port, stateFolder, vars, envFile, ...(other ? { other } : {}) });
  await gateway.ready;
  return { gateway, ownerKey };
}

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const ms = (time: number) => `${time.toFixed(1)} ms`;

async function timed(act: () => unknown): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

makeRepo();
const { gateway, ownerKey } = await started('gateway');
const owner = await signInAsOwner(gateway.url, ownerKey);
const { secret } = await owner.createToken({ name: 'bench', scopes: ['read', 'push'], days: 1 });
await owner.call('PUT', 'settings/rates', { value: { read_repo_file: 1_000_000 } });
const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
const push = () => pushOnce({ url: gateway.url, root, bearer: async () => headers, log: () => undefined });

let first: Awaited<ReturnType<typeof push>> | undefined;
const filling = await timed(async () => {
  first = await push();
});
console.log(
  `The first push: ${first?.files} files, ${first?.sent} contents, ${(filling / 1_000).toFixed(1)} s\n`,
);

for (let run = 0; run < RUNS; run++) await changes(run);

/** Pushes a change of one file after the other, both ways. */
async function changes(run: number): Promise<void> {
  const toGit: number[] = [];
  const toMirror: number[] = [];
  let sent = 0;
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(
      join(root, pathOf(run * ROUNDS + round)),
      `# Changed in round ${round}\n${crypto.randomUUID()}\n`,
    );
    git('commit', '--quiet', '-am', `round ${round}`);
    const ways = [
      async () => toGit.push(await timed(() => git('push', '--quiet', 'bare', 'main'))),
      async () => {
        const spent = await timed(async () => {
          sent += (await push()).sent;
        });
        toMirror.push(spent);
      },
    ];
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) await way();
  }
  const [gitMs, mirrorMs] = [median(toGit), median(toMirror)];
  console.log(
    `One file of ${FILES}, ${ROUNDS} rounds by turns, the median; ${sent / ROUNDS} contents sent a push\n`,
  );
  console.log('| git push to a bare repo | into the mirror | ratio |\n|---|---|---|');
  console.log(`| ${ms(gitMs)} | ${ms(mirrorMs)} | ${(mirrorMs / gitMs).toFixed(2)}× |`);
  figure('one changed file into a mirror of 50,000', mirrorMs / gitMs);
}

const config = join(home, 'wrangler.toml');
const main = resolve(import.meta.dirname, 'mirror-worker.ts');
writeFileSync(
  config,
  `name = "bare"\nmain = ${JSON.stringify(main)}\ncompatibility_date = "2026-09-15"\n[[r2_buckets]]\nbinding = "BLOBS"\nbucket_name = "bare"\n`,
);
const bareWorker = (await started('bare', { config, entry: main })).gateway;
await fetch(`${bareWorker.url}/note`, { method: 'PUT', body: content(999) });
const shots: [url: string, shot: (n: number) => Shot, times: number[]][] = [
  [bareWorker.url, () => ({ path: '/note', headers: {}, body: '' }), []],
  // Read another content each time, because an isolate's memory is not measured here.
  [gateway.url, (n) => read(pathOf(100 + (n % 800))), []],
  [gateway.url, () => read(pathOf(999)), []],
];
for (const [url, shot] of shots) for (let n = 0; n < 20; n++) await send(url, shot(900 + n));
for (let n = 0; n < READS; n++) {
  for (const [url, shot, times] of shots) times.push(await timed(() => send(url, shot(n))));
}
const [bareMs = 0, readMs = 0, againMs = 0] = shots.map(([, , times]) => median(times));
console.log(`\n${READS} reads of a 1 KB file, by turns, the median\n`);
console.log('| what | time | against the bucket |\n|---|---|---|');
console.log(`| the bucket, from a Worker that only reads it | ${ms(bareMs)} | 1.00× |`);
console.log(
  `| read_repo_file over REST, signed in and recorded | ${ms(readMs)} | ${(readMs / bareMs).toFixed(2)}× |`,
);
console.log(`| the same, of a file read lately | ${ms(againMs)} | ${(againMs / bareMs).toFixed(2)}× |`);

function read(path: string): Shot {
  return { path: '/tools/read_repo_file', headers, body: JSON.stringify({ path }) };
}

await Promise.all([gateway.stop(), bareWorker.stop()]);
closeConnections();
rmSync(home, { recursive: true, force: true });
