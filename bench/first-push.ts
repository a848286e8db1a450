import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pushOnce } from '../local-bridge/agent/mirror/push.ts';
import type { Cost } from './support/cost.ts';
import { startCountedGateway } from './support/counted-gateway.ts';

/**
 * Counts what the first push of a large repo takes of Cloudflare's plans, request by request: counters around the
 * bindings and in the database, in the whole gateway under workerd. Processor time is that of Worker and objects
 * together, so a request may need less of what a plan gives the Worker alone.
 */
const FILES = Number(process.env.BENCH_FILES ?? 20_000);

const home = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-bench-'));
process.env.BOWLINE_HOME = home;
const root = join(home, 'repo');
makeRepo();
const { gateway, bearer: headers } = await startCountedGateway('first-push', ['read', 'push']);
const { url } = gateway;

interface Spent extends Cost {
  cpuMs: number;
}
const requests: Spent[] = [];
let micros = gateway.cpuMicros();
await taken();
await pushOnce({
  url,
  root,
  // Asked for once before each request, so what was counted since is of the request before.
  bearer: async () => {
    await note();
    return headers;
  },
  log: () => undefined,
});
await note();
requests.shift();

const columns = {
  objects: 'to objects',
  rowsRead: 'rows read',
  rowsWritten: 'rows written',
  bucketA: 'R2 writes',
  bucketB: 'R2 reads',
  cpuMs: 'processor time, ms',
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];
const cell = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const sum = values.reduce((all, one) => all + one, 0);
  return `| ${[sum, sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((one) => Math.round(one ?? 0)).join(' | ')} |`;
};
console.log(`The first push of ${FILES} files, ${requests.length} requests\n`);
console.log('| | in all | in the middle request | most in one request |\n|---|---|---|---|');
for (const name of names) console.log(`| ${columns[name]} ${cell(requests.map((one) => one[name]))}`);
const written = requests.reduce((sum, one) => sum + one.rowsWritten, 0);
console.log(`\n${(written / FILES).toFixed(2)} rows written a file`);

await gateway.stop();
rmSync(home, { recursive: true });

async function note(): Promise<void> {
  const now = gateway.cpuMicros();
  requests.push({ ...(await taken()), cpuMs: (now - micros) / 1_000 });
  micros = gateway.cpuMicros();
}

async function taken(): Promise<Cost> {
  return (await fetch(`${url}/cost`)).json() as Promise<Cost>;
}

/** Makes a repo of one commit. Git takes it in as one stream, because a file for each would take the disk minutes. */
function makeRepo(): void {
  const text = 'some words of a note that is about as long as notes are '.repeat(40);
  const files = Array.from({ length: FILES }, (_, n) => {
    const body = `# Note ${n}\n\n${text}\n`;
    return `M 100644 inline docs/${Math.floor(n / 100)}/note-${n}.md\ndata ${body.length}\n${body}\n`;
  });
  const head = 'commit refs/heads/main\ncommitter B <b@example.com> 1767950000 +0000\ndata 3\nall\n';
  mkdirSync(root);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: head + files.join('') });
}
