import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { commitOf, described, inMirror, newMirror, pushed, sendLacking, TESTS } from './support.ts';
import { outputOf, repoTools } from './tools.ts';

const paths = ['docs/a.md', 'docs/b.md', 'docs/c.md'];

/** A commit whose files all say which commit they are of. */
const marked = (commit: string) =>
  Object.fromEntries(paths.map((path, i) => [path, `${path} of ${commit} ${'x'.repeat(i)}`]));

/** What somebody reads who reads everything, each with the commit it is said to be of. */
async function everything({ read }: ReturnType<typeof repoTools>) {
  const reads = await Promise.all(paths.map((path) => read(path)));
  return reads.map((one) => outputOf<{ content: string; commit: string }>(one));
}

const textsOf = async (mirror: Mirror) =>
  outputOf<{ files: { path: string }[] }>(await repoTools(mirror).list()).files.map(({ path }) => path);

describe('a push', () => {
  it('asks for what is lacking and for nothing else', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', { 'docs/a.md': 'asked a', 'docs/b.md': 'asked b' });
    const { push } = described('two', {
      'docs/a.md': 'asked a',
      'docs/c.md': 'asked c',
      'docs/d.md': 'asked b',
    });
    const answer = await mirror.stub().open(push, TESTS);
    const c = push.files.find(({ path }) => path === 'docs/c.md');
    expect(answer).toMatchObject({ kind: 'open', lacking: [c?.sha] });
  });

  it('sends nothing for what was only moved, and search finds it where it is now', async () => {
    const mirror = newMirror();
    const tools = repoTools(mirror);
    await pushed(mirror, 'one', { 'docs/old.md': 'zebra crossing' });
    const { push } = described('two', { 'docs/new.md': 'zebra crossing' });
    expect(await mirror.stub().open(push, TESTS)).toMatchObject({ kind: 'done', files: 1 });
    const { results } = outputOf<{ results: { id: string }[] }>(await tools.search('zebra'));
    expect(results.map(({ id }) => id)).toEqual(['repo:docs/new.md']);
  });

  it('takes differences to the commit that is mirrored, and to no other', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', marked('one'));
    const differences = (base: string, commit: string) =>
      described(
        commit,
        { 'docs/b.md': `new in ${commit}` },
        { base: commitOf(base), removed: ['docs/a.md'] },
      );
    const { push, contents } = differences('one', 'two');
    const answer = await sendLacking(mirror, await mirror.stub().open(push, TESTS), contents);
    expect(answer).toMatchObject({ kind: 'done', files: 2 });
    expect(await textsOf(mirror)).toEqual(['docs/b.md', 'docs/c.md']);
    const late = await mirror.stub().open(differences('one', 'three').push, TESTS);
    expect(late).toEqual({ kind: 'other_base', commit: commitOf('two') });
    const reopened = { ...differences('two', 'three').push, open: ['docs/**'] };
    expect(await mirror.stub().open(reopened, TESTS)).toEqual({ kind: 'other_base', commit: null });
  });

  it('shows one of two that come at once, and never a mix', async () => {
    const mirror = newMirror();
    const tools = repoTools(mirror);
    const pushes = ['one', 'two'].map((commit) => ({ commit, ...described(commit, marked(commit)) }));
    const opened = await Promise.all(pushes.map(({ push }) => mirror.stub().open(push, TESTS)));
    await Promise.all(pushes.map(({ contents }, i) => opened[i] && sendLacking(mirror, opened[i], contents)));
    const seen = await everything(tools);
    expect(new Set(seen.map(({ commit }) => commit)).size).toBe(1);
    const commit = pushes.find((one) => commitOf(one.commit) === seen[0]?.commit)?.commit ?? '';
    expect(seen.map(({ content }) => content)).toEqual(Object.values(marked(commit)));
  });

  it('of differences ends when another came first', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', marked('one'));
    const { push, contents } = described('two', { 'docs/b.md': 'two b' }, { base: commitOf('one') });
    const opened = await mirror.stub().open(push, TESTS);
    await pushed(mirror, 'three', marked('three'));
    const answer = await sendLacking(mirror, opened, contents);
    expect(answer).toEqual({ kind: 'other_base', commit: commitOf('three') });
    expect((await everything(repoTools(mirror)))[1]?.content).toBe(marked('three')['docs/b.md']);
  });

  it('comes in pieces, and none of it is shown before the last', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', marked('one'));
    const { push, contents } = described('two', marked('two'));
    const [first, ...rest] = push.files;
    const opened = await mirror.stub().open({ ...push, files: first ? [first] : [], complete: false }, TESTS);
    expect(opened).toMatchObject({ kind: 'open', lacking: [] });
    if (opened.kind !== 'open') throw new Error('not open');
    expect((await everything(repoTools(mirror)))[0]?.commit).toBe(commitOf('one'));
    const answer = await mirror.stub().stage(opened.id, { files: rest, removed: [], complete: true });
    expect(await sendLacking(mirror, answer, contents)).toMatchObject({ kind: 'done', files: 3 });
    expect(await mirror.stub().stage(opened.id, { files: [], removed: [], complete: true })).toEqual({
      kind: 'unknown_push',
    });
  });

  it('goes on after the object was away, between any two steps', async () => {
    const mirror = newMirror();
    const { push, contents } = described('one', marked('one'));
    let answer = await mirror.stub().open(push, TESTS);
    while (answer.kind === 'open') {
      await evictDurableObject(mirror.stub());
      const [sha = ''] = answer.lacking;
      await mirror.blobs.put(sha, contents.get(sha) ?? new Uint8Array());
      answer = await mirror.stub().arrived(answer.id, [{ sha }]);
    }
    expect(answer).toMatchObject({ kind: 'done', files: 3 });
  });

  it('left half done costs the next one nothing that has arrived', async () => {
    const mirror = newMirror();
    const { push, contents } = described('one', marked('one'));
    const opened = await mirror.stub().open(push, TESTS);
    if (opened.kind !== 'open') throw new Error('not open');
    const [sha = ''] = opened.lacking;
    await mirror.blobs.put(sha, contents.get(sha) ?? new Uint8Array());
    await mirror.stub().arrived(opened.id, [{ sha }]);
    const again = await mirror.stub().open(push, TESTS);
    expect(again).toMatchObject({ lacking: opened.lacking.slice(1) });
  });

  it('asks again for a content that the bucket lost', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', { 'docs/a.md': 'lost and asked for again' });
    const { push } = described('two', { 'docs/b.md': 'lost and asked for again' });
    await mirror.blobs.delete(push.files.map(({ sha }) => sha));
    expect(await mirror.stub().open(push, TESTS)).toMatchObject({
      kind: 'open',
      lacking: push.files.map(({ sha }) => sha),
    });
  });
});

describe('readers during pushes', () => {
  it('see of each commit all or nothing', async () => {
    const mirror = newMirror();
    const tools = repoTools(mirror);
    await pushed(mirror, 'c0', marked('c0'));
    const commits = Array.from({ length: 12 }, (_, n) => `c${n + 1}`);
    const names = new Map(['c0', ...commits].map((commit) => [commitOf(commit), commit]));
    let isPushing = true;
    const seen = new Set<string>();
    const reader = async () => {
      while (isPushing) {
        for (const { content, commit } of await everything(tools)) {
          const name = names.get(commit) ?? '';
          seen.add(name);
          expect(Object.values(marked(name))).toContain(content);
        }
        const listing = await mirror.stub().list('', '', 10);
        const name = names.get(listing?.commit ?? '') ?? '';
        const { push } = described(name, marked(name));
        expect(listing?.files.map(({ sha }) => sha)).toEqual(push.files.map(({ sha }) => sha));
      }
    };
    const readers = [reader(), reader()];
    for (const commit of commits) await pushed(mirror, commit, marked(commit));
    isPushing = false;
    await Promise.all(readers);
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('the index', () => {
  it('holds no text of what is not mirrored, once it was swept', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', { 'docs/a.md': 'walrus' });
    await pushed(mirror, 'two', { 'docs/a.md': 'penguin' });
    const { results } = outputOf<{ results: unknown[] }>(await repoTools(mirror).search('walrus'));
    expect(results).toEqual([]);
    const docs = await inMirror(mirror, (sql) => sql.exec('SELECT path, sha FROM doc').toArray().length);
    expect(docs).toBe(2);
  });
});
