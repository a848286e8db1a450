import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { exportedEntries } from '../../local-bridge/cli/memory/export.ts';
import type { ChainEntry } from '../../src/core/chain.ts';
import { runBowline } from '../support/command.ts';
import { realTime } from './gateway-side.ts';
import type { CallRecord, Evidence, Fault } from './history.ts';
import { onceMore, wholeLedger } from './owner.ts';
import { ownProcesses } from './processes.ts';
import type { Product } from './product.ts';

/** How long what was told to end may take to be gone. */
const GONE_MS = 5_000;
/** Ends of reads travel a moment after their answers. */
const LATE_MS = 500;
/** Longer than any command that a caller leaves. */
const LEFT_MS = 10_000;

interface Happened {
  readonly calls: readonly CallRecord[];
  readonly faults: readonly Fault[];
  readonly approved: Set<string>;
  readonly seen: ReadonlySet<string>;
}

/** Looks at all that is left: first while the product runs, then when it has stopped. Stops it. */
export async function gather(product: Product, happened: Happened): Promise<Evidence> {
  const { owner, url, home, ownerKey, root } = product;
  await unloadModels(product, happened.approved);
  await wait(LATE_MS);
  await untilEnded(product);
  const memory: ChainEntry[] = [];
  for await (const entry of exportedEntries(owner)) memory.push(entry);
  const { outages, clocks } = product.gateway;
  const ledger = (await wholeLedger(owner)).map((entry) => ({ ...entry, at: realTime(entry.at, clocks) }));
  const env = { BOWLINE_HOME: home, BOWLINE_URL: url, BOWLINE_OWNER_KEY: ownerKey };
  const { stdout, stderr, code } = await runBowline(['memory', 'verify', '--json'], { env });
  const chain = code === 0 ? [] : [`bowline memory verify ended with ${code}: ${stdout}${stderr}`];
  await product.stop();
  return {
    ...happened,
    ...{ memory, ledger, chain, outages: [...outages] },
    processes: await remaining(product),
    files: filesBelow(root),
    marks: existsSync(join(root, 'marks'))
      ? readFileSync(join(root, 'marks'), 'utf8').split('\n').filter(Boolean)
      : [],
    leftovers: leftoversOf(product),
  };
}

/** What a caller left goes on to its end; only what a gateway took along never ends. */
async function untilEnded({ owner, gateway }: Product): Promise<void> {
  const since = gateway.outages.findLast(({ is }) => is === 'ended')?.until ?? 0;
  for (const until = Date.now() + LEFT_MS; Date.now() < until; await wait(200)) {
    const running = (await owner.call('GET', `ledger?outcome=running&since=${since}`)) as {
      entries: unknown[];
    };
    if (running.entries.length === 0) return;
  }
}

/** Models go on when their bridge ends, so those whose unloading was never answered are ended here. */
async function unloadModels({ url, token, owner }: Product, approved: Set<string>): Promise<void> {
  const post = async (tool: string, input: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/tools/${tool}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    return (await response.json()) as { models?: { port: number }[] };
  };
  for (const { port } of (await onceMore(() => post('mlx_list', {}))).models ?? []) {
    const unloading = post('mlx_unload', { port });
    for (let isOver = false; !isOver; ) {
      const { pending } = (await owner.call('GET', 'feed?after=0&wait=0')) as { pending: { code: string }[] };
      for (const { code } of pending) {
        approved.add(code);
        await owner.call('POST', `approvals/${code}`, { decision: 'approve' });
      }
      isOver = await Promise.race([unloading.then(() => true), wait(100, false)]);
    }
  }
}

async function remaining({ mark, base }: Product): Promise<string[]> {
  const until = Date.now() + GONE_MS;
  let left = ownProcesses(mark, base);
  while (left.length > 0 && Date.now() < until) {
    await wait(100);
    left = ownProcesses(mark, base);
  }
  return left.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`);
}

function filesBelow(root: string): Map<string, string | null> {
  return new Map(
    readdirSync(join(root, 'made'), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(root, path), entry.isDirectory() ? null : readFileSync(path, 'utf8')];
    }),
  );
}

/** What nobody asked for in the open folder, half-made files of the bridge's own, and locks. */
function leftoversOf({ root, home, temporary }: Product): string[] {
  const named = (folder: string, is: (name: string) => boolean) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.git/') && is(name.split('/').at(-1) ?? ''))
      .map((name) => join(folder, name));
  return [
    ...named(root, (name) => name.startsWith('.bowline-') || name.endsWith('.tmp')),
    ...named(join(home, 'link'), (name) => name === 'lock' || name.endsWith('.new')),
    ...named(home, (name) => name.endsWith('.begun') || name.endsWith('.half')),
    // An empty folder is left by a bridge that was killed before its first command.
    ...readdirSync(temporary)
      .map((name) => join(temporary, name))
      .filter((path) => !statSync(path).isDirectory() || readdirSync(path).length > 0),
  ];
}
