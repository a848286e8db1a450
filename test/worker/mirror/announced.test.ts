import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { commitOf, newMirror, pushed as push } from './support.ts';

const pushed: typeof push = (mirror, commit, files, over) =>
  push(mirror, commit, files, { open: ['**'], ...over });

/** What every isolate hears while something is done. */
async function heardDuring(act: () => Promise<unknown>): Promise<unknown[]> {
  const events = env.EVENTS.get(env.EVENTS.idFromName('owner'));
  await events.publish('"begin"');
  const { place } = await events.since(null);
  await act();
  // Whatever was published before this came before it.
  await events.publish('"end"');
  const heard: unknown[] = [];
  for (let at = place; !heard.includes('end'); ) {
    const more = await events.since(at);
    at = more.place;
    heard.push(...more.events.map((event) => JSON.parse(event)));
  }
  return heard.slice(0, -1);
}

const updated = (path: string) => ({ kind: 'resource_updated', uri: `repo://${path}` });
const listChanged = { kind: 'resources_list_changed' };

describe('a switch to another commit', () => {
  it('is told to those who follow a file or the list, and nothing is told that stayed', async () => {
    const mirror = newMirror();
    const files = { 'a b.md': 'a', 'c.md': 'c', 'd.md': 'd' };
    expect(await heardDuring(() => pushed(mirror, 'one', files))).toEqual([listChanged]);
    expect(await heardDuring(() => pushed(mirror, 'two', { ...files, 'a b.md': 'other' }))).toEqual([
      updated('a%20b.md'),
    ]);
    const { 'c.md': _, ...fewer } = files;
    expect(await heardDuring(() => pushed(mirror, 'three', { ...fewer, 'a b.md': 'other' }))).toEqual([
      updated('c.md'),
      listChanged,
    ]);
    expect(
      await heardDuring(() => pushed(mirror, 'four', { ...fewer, 'a b.md': 'other', 'new.md': 'n' })),
    ).toEqual([listChanged]);
    expect(
      await heardDuring(() => pushed(mirror, 'five', { ...fewer, 'a b.md': 'other', 'new.md': 'n' })),
    ).toEqual([]);
  });

  it('is told after a push of what changed alone, too', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', { 'a.md': 'a', 'b.md': 'b' });
    const base = { base: commitOf('one') };
    expect(await heardDuring(() => pushed(mirror, 'two', { 'a.md': 'changed' }, base))).toEqual([
      updated('a.md'),
    ]);
    const removed = { base: commitOf('two'), removed: ['b.md'] };
    expect(await heardDuring(() => pushed(mirror, 'three', {}, removed))).toEqual([
      updated('b.md'),
      listChanged,
    ]);
  });

  it('names a hundred files at most, and says then that the list is to be read', async () => {
    const mirror = newMirror();
    const all = (word: string) =>
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.md`, `${word} ${i}`]));
    await pushed(mirror, 'one', all('one'));
    const heard = await heardDuring(() => pushed(mirror, 'two', all('two')));
    expect([heard.length, heard.at(-1)]).toEqual([101, listChanged]);
  });
});
