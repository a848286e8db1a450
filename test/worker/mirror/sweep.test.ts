import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { utf8Text } from '../../../src/core/git-blob.ts';
import { later } from '../auth/owner.ts';
import { described, inMirror, newMirror, pushed, sendLacking, TESTS } from './support.ts';
import { outputOf, repoTools } from './tools.ts';

const HOUR = 3_600_000;

afterEach(() => void vi.useRealTimers());

const shaOf = (text: string) => described('x', { 'docs/a.md': text }).push.files[0]?.sha ?? '';

it('keeps an old content for a day, then deletes it, and what is mirrored stays', async () => {
  const mirror = newMirror();
  await pushed(mirror, 'one', { 'docs/a.md': 'swept old', 'docs/b.md': 'swept kept' });
  await pushed(mirror, 'two', { 'docs/a.md': 'swept new', 'docs/b.md': 'swept kept' });
  expect(await runDurableObjectAlarm(mirror.stub())).toBe(true);
  expect(await mirror.blobs.get(shaOf('swept old'))).toBeDefined();
  later(23 * HOUR);
  await runDurableObjectAlarm(mirror.stub());
  expect(await mirror.blobs.get(shaOf('swept old'))).toBeDefined();
  later(2 * HOUR);
  await runDurableObjectAlarm(mirror.stub());
  expect(await mirror.blobs.get(shaOf('swept old'))).toBeUndefined();
  for (const text of ['swept new', 'swept kept']) expect(await mirror.blobs.get(shaOf(text))).toBeDefined();
  expect(await inMirror(mirror, (sql) => sql.exec('SELECT id FROM doc').toArray().length)).toBe(2);
  const { results } = outputOf<{ results: unknown[] }>(await repoTools(mirror).search('swept'));
  expect(results).toHaveLength(2);
  // With nothing left to sweep it sleeps.
  expect(await runDurableObjectAlarm(mirror.stub())).toBe(false);
});

it('keeps what came back within the day, and asks again for what did not', async () => {
  const mirror = newMirror();
  await pushed(mirror, 'one', { 'docs/a.md': 'back in time' });
  await pushed(mirror, 'two', { 'docs/a.md': 'something else' });
  await runDurableObjectAlarm(mirror.stub());
  await pushed(mirror, 'one', { 'docs/a.md': 'back in time' });
  await runDurableObjectAlarm(mirror.stub());
  later(25 * HOUR);
  await runDurableObjectAlarm(mirror.stub());
  expect(await mirror.blobs.get(shaOf('back in time'))).toBeDefined();
  const { push } = described('two', { 'docs/a.md': 'something else' });
  expect(await mirror.stub().open(push, TESTS)).toMatchObject({ lacking: [shaOf('something else')] });
});

it('keeps a content of the shown commit that was lost and came again at another path, which then went', async () => {
  const mirror = newMirror();
  const [first, second, third] = ['lost first', 'lost second', 'lost third'];
  await pushed(mirror, first, { 'docs/a.md': 'lost and found' });
  await mirror.blobs.delete([shaOf('lost and found')]);
  const base = (commit: string) => ({ base: described(commit, {}).push.commit });
  await pushed(mirror, second, { 'docs/b.md': 'lost and found' }, base(first));
  await pushed(mirror, third, {}, { ...base(second), removed: ['docs/b.md'] });
  for (let day = 0; day < 3; day++) {
    await runDurableObjectAlarm(mirror.stub());
    later(25 * HOUR);
  }
  expect(outputOf(await repoTools(mirror).read('docs/a.md'))).toMatchObject({ content: 'lost and found' });
});

it('keeps what a push under way counts on, and forgets a push that nobody goes on with', async () => {
  const mirror = newMirror();
  await pushed(mirror, 'one', { 'docs/a.md': 'counted on' });
  await pushed(mirror, 'two', { 'docs/a.md': 'in its place' });
  await runDurableObjectAlarm(mirror.stub());
  later(20 * HOUR);
  const { push, contents } = described('three', { 'docs/a.md': 'counted on', 'docs/b.md': 'still to come' });
  const opened = await mirror.stub().open(push, TESTS);
  later(6 * HOUR);
  await runDurableObjectAlarm(mirror.stub());
  expect(await mirror.blobs.get(shaOf('counted on'))).toBeDefined();
  later(48 * HOUR);
  await runDurableObjectAlarm(mirror.stub());
  expect(await sendLacking(mirror, opened, contents)).toEqual({ kind: 'unknown_push' });
});

it('keeps a push for a day after its last step, whichever that was', async () => {
  const mirror = newMirror();
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`docs/${n}.md`, `step ${n}`]));
  const { push, contents } = described('slow', files, { name: 'a'.repeat(64) });
  let answer = await mirror.stub().open(push, TESTS);
  while (answer.kind === 'open') {
    later(13 * HOUR);
    await runDurableObjectAlarm(mirror.stub());
    // It is sent again, and then a content comes.
    expect(await mirror.stub().open(push, TESTS)).toMatchObject({ id: answer.id });
    later(13 * HOUR);
    await runDurableObjectAlarm(mirror.stub());
    const [sha = ''] = answer.lacking;
    const bytes = contents.get(sha) ?? new Uint8Array();
    await mirror.blobs.put(sha, bytes);
    answer = await mirror.stub().arrived(answer.id, [{ sha, text: utf8Text(bytes) ?? '' }]);
  }
  expect(answer).toMatchObject({ kind: 'done', files: 5 });
});

it('keeps a content that only a link had, once a file has it in the place of another', async () => {
  const mirror = newMirror();
  const text = 'docs/target.md';
  await pushed(mirror, 'one', { 'docs/a.md': text, 'docs/l': { mode: '120000', content: text } });
  await pushed(mirror, 'two', { 'docs/l': text });
  for (const hours of [0, 25, 50]) {
    later(hours * HOUR);
    await runDurableObjectAlarm(mirror.stub());
  }
  expect(await mirror.blobs.get(shaOf(text))).toBeDefined();
});
