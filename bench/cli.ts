import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../local-bridge/lib/processes.ts';
import { figure } from './support/figures.ts';
import { startGateway } from './support/gateway.ts';

/**
 * Measures the processor time of commands from their start to their end, in turns with a Node that does nothing: the
 * least command, and a call through a gateway on this computer. Also measures the first `npm start` of a new state
 * folder until it is ready, which builds the Worker.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);

const bowline = resolve(import.meta.dirname, '..', 'local-bridge', 'bin.mjs');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-bench-cli-')));
// A home that exists keeps compiled code, as after the first command of a real one.
const home = join(folder, 'home');
mkdirSync(home, { mode: 0o700 });
const { worker, token } = await startGateway();
const env = { ...process.env, BOWLINE_HOME: home, BOWLINE_URL: worker.url, BOWLINE_TOKEN: token };

const commands = {
  'a Node that does nothing': ['-e', '0'],
  '`bowline --version`': [bowline, '--version'],
  '`bowline call hello`': [bowline, 'call', 'hello', '--name', 'Ada'],
};
type Named = keyof typeof commands;
const spent = new Map(Object.keys(commands).map((name) => [name, { seconds: [], wall: [] } as Spent]));
interface Spent {
  readonly seconds: number[];
  readonly wall: number[];
}

try {
  for (let round = -2; round < ROUNDS; round++) {
    const order = Object.entries(commands);
    for (const [name, args] of round % 2 === 0 ? order : order.toReversed()) {
      const { seconds, wall } = run(args);
      if (round < 0) continue;
      spent.get(name)?.seconds.push(seconds);
      spent.get(name)?.wall.push(wall);
    }
  }
  const bare = middle('a Node that does nothing', 'seconds');
  console.log(`Medians of ${ROUNDS} rounds by turns\n`);
  console.log('| what | processor time, s | time, s | processor time over the first |\n|---|---|---|---|');
  for (const name of Object.keys(commands) as Named[]) {
    const seconds = middle(name, 'seconds');
    const cells = [seconds.toFixed(3), middle(name, 'wall').toFixed(3), (seconds / bare).toFixed(1)];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
    if (name !== 'a Node that does nothing') figure(`${name}, processor time`, seconds);
  }
  const ready = await firstStart();
  console.log(`\nThe first \`npm start\`, which builds the Worker, was ready after ${ready.toFixed(1)} s.`);
  figure('the first `npm start` to ready, nothing else running', ready);
} finally {
  await worker.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a command, and gives the seconds of processor time and of time that it took. */
function run(args: readonly string[]): { seconds: number; wall: number } {
  // A parent learns the time of its ended children. Node does not tell it, and bash does, in milliseconds.
  const script = 'TIMEFORMAT="%U %S %R"; time "$@" > /dev/null';
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    env,
    encoding: 'utf8',
  });
  const [user, system, wall] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined || wall === undefined)
    throw new Error(`${args.join(' ')}: ${stderr}`);
  return { seconds: user + system, wall };
}

/** Starts the whole product in a new repo with a new state, and gives the seconds until it says that it is ready. */
async function firstStart(): Promise<number> {
  const root = join(folder, 'repo');
  mkdirSync(root);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', ...args], { cwd: root });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '-m', 'first');
  const args = [
    '--port',
    String(await freePort(0)),
    '--root',
    root,
    '--state',
    join(folder, 'state'),
    '--once',
  ];
  const said = execFileSync(process.execPath, [bowline, 'up', ...args], {
    env: { ...env, BOWLINE_HOME: join(folder, 'new-home') },
    encoding: 'utf8',
  });
  const seconds = /Ready: after ([\d.]+) s/.exec(said)?.[1];
  if (seconds === undefined) throw new Error(`bowline up never said that it is ready: ${said}`);
  return Number(seconds);
}

function middle(name: Named, what: keyof Spent): number {
  const all = spent.get(name)?.[what] ?? [];
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
