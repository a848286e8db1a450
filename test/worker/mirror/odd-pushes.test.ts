import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../src/core/git-blob.ts';
import type { MoreEntries, NewPush, PushAnswer } from '../../../src/core/mirror-push.ts';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { bearer, personalToken } from '../auth/support.ts';
import { send } from '../http.ts';
import { commitOf, described, newMirror, pushed, sendLacking, TESTS } from './support.ts';
import { outputOf, refusalOf, repoTools } from './tools.ts';

// What `bowline mirror push` never sends, and another pusher may.

const NAME = 'a'.repeat(64);
const NOTHING = { files: [], removed: [], complete: false };

describe('an empty piece', () => {
  const begin = async (mirror: Mirror) => {
    const { push, contents } = described('empty pieces', { 'docs/a.md': 'one', 'docs/b.md': 'two' });
    const start: NewPush = { ...push, ...NOTHING, name: NAME };
    const more = (piece: number, over: Partial<MoreEntries> = {}) =>
      mirror.stub().stage(id, { ...NOTHING, piece, ...over });
    const open = () => mirror.stub().open(start, TESTS);
    const answer = await open();
    const { id = '' } = answer.kind === 'open' ? answer : {};
    return { push, contents, open, more, answer };
  };

  it('may come twice, as every other piece', async () => {
    const mirror = newMirror();
    const { push, contents, open, more, answer } = await begin(mirror);
    expect(await open()).toEqual(answer);
    expect(await more(1)).toMatchObject({ kind: 'open', next: 2 });
    expect(await more(1)).toMatchObject({ kind: 'open', next: 2 });
    expect(await more(2, { files: push.files })).toMatchObject({ kind: 'open', next: 3 });
    const last = await more(3, { complete: true });
    expect(last).toMatchObject({ kind: 'open', next: 4 });
    expect(await more(3, { complete: true })).toEqual(last);
    expect(await more(1)).toEqual(last);
    expect(await sendLacking(mirror, last, contents)).toMatchObject({ kind: 'done', files: 2 });
  });

  it('is refused if it comes again with files, or with its end', async () => {
    const { push, more } = await begin(newMirror());
    await more(1);
    const changed = { kind: 'wrong_piece', why: 'changed', piece: 1, next: 2 };
    expect(await more(1, { files: push.files })).toEqual(changed);
    expect(await more(1, { complete: true })).toEqual(changed);
    expect(await more(2, { files: push.files })).toMatchObject({ kind: 'open', next: 3 });
    expect(await more(2)).toMatchObject({ kind: 'wrong_piece', why: 'changed' });
  });
});

describe('a push under the name of an unfinished one', () => {
  it.each([
    ['another commit', { commit: commitOf('another') }],
    ['another time', { committedAt: 5 }],
    ['another branch', { branch: 'other' }],
    ['other open paths', { open: ['docs/**'] }],
  ])('is refused if it names %s, and the first one goes on', async (what, other) => {
    const { secret } = await personalToken(['push']);
    const post = async (path: string, body: object) => {
      const headers = { ...bearer(secret), 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await send(`/api/mirror/pushes${path}`, init);
      return [answer.status, await answer.json()] as const;
    };
    const { push } = described(what, { 'docs/a.md': 'one' });
    const start = { ...push, complete: false, name: NAME };
    const [, begun] = await post('', start);
    expect(await post('', { ...start, ...other })).toMatchObject([
      409,
      {
        code: 'invalid_input',
        message: 'An unfinished push of this name says something else, so this one was refused.',
        suggestion: expect.stringContaining('name of its own'),
      },
    ]);
    expect(await post('', start)).toEqual([200, begun]);
  });

  it('is refused if it has another base', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'base', { 'docs/a.md': 'one' });
    const { push } = described('next', { 'docs/b.md': 'two' });
    const start: NewPush = { ...push, complete: false, name: NAME };
    await mirror.stub().open(start, TESTS);
    const other = await mirror.stub().open({ ...start, base: commitOf('base') }, TESTS);
    expect(other).toEqual({ kind: 'wrong_piece', why: 'other', piece: 0, next: 1 });
  });
});

describe('a content that was described with a wrong size', () => {
  const TEXT = '# Lighthouse\n\nIts lamp is a beacon.';
  const found = async (mirror: Mirror, word: string) => {
    const { results } = outputOf<{ results: { id: string }[] }>(await repoTools(mirror).search(word));
    return results.map(({ id }) => id);
  };
  const sized = async (mirror: Mirror, commit: string, path: string, size: number): Promise<PushAnswer> => {
    const { push, contents } = described(commit, { [path]: TEXT });
    const files = push.files.map((file) => ({ ...file, size }));
    return sendLacking(mirror, await mirror.stub().open({ ...push, files }, TESTS), contents);
  };

  it('is found by its text although it was said to be empty', async () => {
    const mirror = newMirror();
    // Its content is there, so the gateway reads it and does not ask.
    await pushed(mirror, 'before', { 'docs/here.md': TEXT });
    expect(await sized(mirror, 'empty', 'docs/lamp.md', 0)).toMatchObject({ kind: 'done' });
    expect(await found(mirror, 'beacon')).toEqual(['repo:docs/lamp.md']);
  });

  it.each([
    ['at the same path', 'docs/lamp.md'],
    ['at another path', 'docs/other.md'],
  ])('is found by its text after it was said to be too large, once it comes %s', async (_, path) => {
    const mirror = newMirror();
    await sized(mirror, 'too large', 'docs/lamp.md', MAX_FILE_BYTES + 1);
    expect(await found(mirror, 'beacon')).toEqual([]);
    await pushed(mirror, 'right', { [path]: TEXT });
    expect(await found(mirror, 'beacon')).toEqual([`repo:${path}`]);
    await pushed(mirror, 'right again', { 'docs/lamp.md': TEXT });
    expect(await found(mirror, 'beacon')).toEqual(['repo:docs/lamp.md']);
  });

  it('has its right size once it is pushed with it', async () => {
    const mirror = newMirror();
    await sized(mirror, 'too large', 'docs/lamp.md', MAX_FILE_BYTES + 1);
    const tools = repoTools(mirror);
    expect(refusalOf(await tools.read('docs/lamp.md')).code).toBe('file_too_large');
    await pushed(mirror, 'right', { 'docs/lamp.md': TEXT });
    expect(outputOf(await tools.read('docs/lamp.md'))).toMatchObject({ content: TEXT });
    const { files } = outputOf<{ files: { size: number }[] }>(await tools.list());
    expect(files).toMatchObject([{ size: TEXT.length }]);
    expect(await mirror.stub().status()).toMatchObject({ bytes: TEXT.length });
  });
});

it('ranks a link and a file that is too large after every page with the word', async () => {
  const mirror = newMirror();
  const { push, contents } = described('ranks', {
    'docs/lighthouse': { mode: '120000', content: 'elsewhere' },
    'docs/lighthouse.txt': 'x',
    'docs/text.md': `# Other\n\n${'filler words here '.repeat(20)} lighthouse`,
  });
  const files = push.files.map((file) =>
    file.path.endsWith('.txt') ? { ...file, size: MAX_FILE_BYTES + 1 } : file,
  );
  await sendLacking(mirror, await mirror.stub().open({ ...push, files }, TESTS), contents);
  const { results } = outputOf<{ results: { id: string }[] }>(await repoTools(mirror).search('lighthouse'));
  expect(results[0]).toMatchObject({ id: 'repo:docs/text.md' });
});
