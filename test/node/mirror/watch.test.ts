import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Pushed } from '../../../local-bridge/agent/mirror/push.ts';
import { watchRepo } from '../../../local-bridge/agent/mirror/watch.ts';
import { pushRig } from '../../support/mirror-push.ts';
import { repoIn } from '../../support/mirror-repo.ts';
import { SOON_MS } from '../../support/soon.ts';

const rig = pushRig();
let stop: AbortController;
let pushed: Pushed[];
let watching: Promise<void> | undefined;

beforeEach(() => {
  stop = new AbortController();
  pushed = [];
});
afterEach(async () => {
  stop.abort();
  await watching;
});

function watch(root = rig.repo.root) {
  watching = watchRepo({
    url: rig.gateway.url,
    root,
    bearer: async () => ({}),
    log: (line) => rig.log.push(line),
    pushed: (done) => pushed.push(done),
    signal: stop.signal,
    settleMs: 20,
    // Only what git's folders tell counts here.
    lookEveryMs: 600_000,
  });
}

const until = (commit: string) =>
  vi.waitFor(() => expect(rig.gateway.commit).toBe(commit), { timeout: SOON_MS, interval: 10 });

it('mirrors the commit there is, and every one that comes', async () => {
  const first = rig.repo.commit({ 'docs/a.md': 'one' });
  watch();
  await until(first);
  await until(rig.repo.commit({ 'docs/a.md': 'two' }));
  await until(rig.repo.commit({ 'docs/a.md': 'three' }));
  rig.repo.git('reset', '--quiet', '--hard', first);
  await until(first);
});

it('sees commits whatever way the branch is kept', async () => {
  await startOn(rig.repo.commit({ 'docs/a.md': 'one' }));
  rig.repo.git('pack-refs', '--all');
  await until(rig.repo.commit({ 'docs/a.md': 'packed' }));
  rig.repo.git('checkout', '--quiet', '-b', 'deep/er/branch');
  await until(rig.repo.commit({ 'docs/a.md': 'deeper' }));
  rig.repo.git('checkout', '--quiet', '--detach');
  await until(rig.repo.commit({ 'docs/a.md': 'detached' }));
});

it('watches a work tree of its own', async () => {
  rig.repo.commit({ 'docs/a.md': 'one' });
  const folder = `${rig.repo.root}-tree`;
  rig.repo.git('worktree', 'add', '--quiet', '-b', 'tree', folder);
  const tree = repoIn(folder);
  await startOn(tree.git('rev-parse', 'HEAD'), folder);
  const other = rig.repo.commit({ 'docs/a.md': 'in the first tree' });
  const own = tree.commit({ 'docs/a.md': 'in the second tree' });
  await until(own);
  expect(pushed.map(({ commit }) => commit)).not.toContain(other);
  tree.remove();
});

it('makes one push of many commits in a row', async () => {
  await startOn(rig.repo.commit({ 'docs/a.md': '0' }));
  let last = '';
  for (let n = 1; n <= 5; n++) last = rig.repo.commit({ 'docs/a.md': `${n}` });
  await until(last);
  expect(pushed.length).toBeLessThanOrEqual(6);
});

it('tries again when the gateway comes back, and needs no commit for it', async () => {
  const commit = rig.repo.commit({ 'docs/a.md': 'one' });
  let refused = 0;
  rig.gateway.instead = () => (refused++ < 2 ? 503 : undefined);
  watch();
  await until(commit);
  expect(refused).toBeGreaterThan(2);
});

it('says once that a commit holds a secret, and goes on with the next', async () => {
  await startOn(rig.repo.commit({ 'docs/a.md': 'one' }));
  rig.repo.commit({ 'docs/a.md': `AKIA${'IOSFODNN7EXAMPLE'}` });
  await vi.waitFor(() => expect(rig.log.join('\n')).toContain('docs/a.md:1'), {
    timeout: SOON_MS,
    interval: 10,
  });
  await until(rig.repo.commit({ 'docs/a.md': 'clean' }));
  expect(rig.log.filter((line) => line.includes('looks like secrets'))).toHaveLength(1);
});

it('ends when it is told to', async () => {
  await startOn(rig.repo.commit({ 'docs/a.md': 'one' }));
  stop.abort();
  await watching;
  expect(rig.log.at(-1)).toBe('No longer watching.');
});

async function startOn(commit: string, root?: string): Promise<void> {
  watch(root);
  await until(commit);
  await vi.waitFor(() => expect(pushed).toHaveLength(1), { timeout: SOON_MS });
}
