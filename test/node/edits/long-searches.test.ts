import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffOf } from '../../../local-bridge/tools/handlers/edits-diff.ts';
import { replaceAll } from '../../../local-bridge/tools/handlers/edits-replace.ts';
import { eachPlace } from '../../../local-bridge/tools/handlers/edits-search.ts';
import { failureOf, fileRig, outputOf } from '../workspace/rig.ts';

const placesIn = (bytes: Uint8Array, wanted: Uint8Array) => {
  const places: number[] = [];
  eachPlace(bytes, wanted, (at) => places.push(at));
  return places;
};

/** Bytes that count how often somebody reads one of them. */
function counted(text: string, count: () => void): Uint8Array {
  const bytes = Buffer.from(text);
  return new Proxy(bytes, {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) count();
      return Reflect.get(target, name, target);
    },
  });
}

describe('finding the string to replace', () => {
  it('finds what the system finds', () => {
    const letters = (maxLength: number, minLength = 0) =>
      fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength }).map((some) => some.join(''));
    fc.assert(
      fc.property(letters(40), letters(5, 1), (text, wanted) => {
        const expected: number[] = [];
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
          expected.push(at);
        expect(placesIn(Buffer.from(text), Buffer.from(wanted))).toEqual(expected);
      }),
    );
  });

  it.each([
    ['a string that nearly fits everywhere', (n: number) => `${'a'.repeat(n)}b${'a'.repeat(n)}`],
    ['a string that begins otherwise', (n: number) => `b${'a'.repeat(n)}`],
    ['a string that ends otherwise', (n: number) => `${'a'.repeat(n)}b`],
    ['a short string', () => 'a'],
  ])('reads each byte a few times at most: %s', (_, wanted) => {
    const n = 4_000;
    let reads = 0;
    const count = () => {
      reads += 1;
    };
    eachPlace(counted('a'.repeat(4 * n), count), counted(wanted(n), count), () => undefined);
    expect(reads).toBeLessThan(12 * 6 * n);
  });
});

const LONG = 10 * 1024 * 1024;
const AGAINST = `${'a'.repeat(1_500_000)}b${'a'.repeat(1_500_000)}`;

describe('a long file', () => {
  it('does not stop the machine, whatever is looked for', async () => {
    const rig = fileRig({ files: { 'a.txt': 'a'.repeat(LONG) } });
    const one = await rig.call('replace_string_in_file', {
      path: 'a.txt',
      old_string: AGAINST,
      new_string: '',
    });
    expect(failureOf(one).code).toBe('string_not_found');
    const edits = [{ op: 'replace_all', path: 'a.txt', old: AGAINST, text: '' }];
    expect(failureOf(await rig.call('edit_files', { edits })).code).toBe('string_not_found');
  });

  it('can have all of its millions of pieces replaced', async () => {
    const rig = fileRig({ files: { 'a.txt': 'ab'.repeat(LONG / 2) } });
    const edits = [{ op: 'replace_all', path: 'a.txt', old: 'a', text: 'c' }];
    outputOf(await rig.call('edit_files', { edits }));
  });

  it('is not made by many replacements, nor by many edits of one call', async () => {
    const rig = fileRig({ files: { 'a.txt': 'a'.repeat(1_000_000), 'b.txt': 'b' } });
    expect(replaceAll(Buffer.from('a'.repeat(1_000_000)), 'a', 'x'.repeat(20))).toBe('too large');
    const bomb = [{ op: 'replace_all', path: 'a.txt', old: 'a', text: 'x'.repeat(1_000_000) }];
    const bombed = failureOf(await rig.call('edit_files', { edits: bomb }));
    expect(bombed).toMatchObject({ code: 'file_too_large', message: expect.stringContaining("'a.txt'") });
    const doubled = Array.from({ length: 50 }, () => ({
      op: 'replace_all',
      path: 'b.txt',
      old: 'b',
      text: 'bb',
    }));
    expect(failureOf(await rig.call('edit_files', { edits: doubled })).code).toBe('file_too_large');
    // At the limit a file is made, and one byte above it is not.
    const grown = (text: string) => [
      { op: 'create', path: 'c.txt', text: 'c'.repeat(LONG / 4) },
      { op: 'replace_all', path: 'c.txt', old: 'c', text: 'dddd' },
      { op: 'append', path: 'c.txt', text },
    ];
    expect(failureOf(await rig.call('edit_files', { edits: grown('e') })).code).toBe('file_too_large');
    outputOf(await rig.call('edit_files', { edits: grown('') }));
  });
});

describe('the diff of a file', () => {
  it('is left out if hiding its secrets would take too long', () => {
    const secret = (i: number) => `password=q${i.toString(36).padStart(6, 'z')}Zk9\n`;
    const other = `${'q'.repeat(60)}\n`;
    const shownOf = (secrets: number, changed: number) => {
      const was = Array.from({ length: secrets }, (_, i) => secret(i));
      // The first line, the last, and some between: all secrets may be near.
      const now = was.map((line, i) => (i < changed || i === secrets - 1 ? other : line));
      return diffOf('a.txt', Buffer.from(was.join('')), Buffer.from(now.join('')));
    };
    const { diff, facts } = shownOf(90_000, 700);
    expect(diff).toBeNull();
    expect(facts).toEqual([expect.objectContaining({ unusual: true })]);
    expect(shownOf(500, 100).diff).toContain('-password=[redacted:');
  });
});
