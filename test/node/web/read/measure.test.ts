import { describe, expect, it } from 'vitest';
import { layOut } from '../../../../src/web/read/lines.ts';
import { measure, prune, restore } from '../../../../src/web/read/measure.ts';
import { dropShortcodes } from '../../../../src/web/read/shortcodes.ts';
import { type El, parsePage } from '../../../../src/web/read/tree.ts';
import { frames, paragraphs } from '../../../support/made-pages.ts';

type Measures = readonly [string, number, number, number, ...Measures[]];
const measures = ({ tag, chars, linkChars, prose, kids }: El): Measures => [
  tag,
  chars,
  linkChars,
  prose,
  ...kids.flatMap((kid) => (typeof kid === 'string' ? [] : [measures(kid)])),
];

/** Gives the measures of a tree as if it had never been measured. */
function anew(root: El): Measures {
  const copy = structuredClone(root);
  const forget = (el: El): void => {
    el.measured = false;
    for (const kid of el.kids) if (typeof kid !== 'string') forget(kid);
  };
  forget(copy);
  measure(copy);
  return measures(copy);
}

const body = `<h2>Berths [dock_map id="3"]</h2>loose words, and more of them <b>in bold <p>${paragraphs('berths', 2)}</b>
  <div>[dock_map]<a href="/x">a link <p>around a paragraph of words, which goes on for a while.</p></a></div>
  <ul><li class="item">one<li>two, <span>which is <div>nested</div> in it</span></ul>${paragraphs('piers', 2)}`;

describe('measures that were taken before', () => {
  it.each(Object.entries(frames))('hold as long as nothing changes in a page framed as %s', (_, framed) => {
    const { root } = parsePage(framed({ title: 'The harbour', body }));
    const steps: (() => void)[] = [() => undefined, () => dropShortcodes(root), () => layOut(root)];
    for (const step of steps) {
      step();
      measure(root);
      expect(measures(root)).toEqual(anew(root));
    }
    const before = measures(root);
    const removals = [/item|nav/, /footer|topnav|sidebar/].map((names) => {
      const removed = prune(root, (el) => names.test(el.names) || el.tag === 'b');
      measure(root);
      expect(measures(root)).toEqual(anew(root));
      return removed;
    });
    expect(measures(root)).not.toEqual(before);
    restore(removals);
    measure(root);
    expect(measures(root)).toEqual(before);
    expect(measures(root)).toEqual(anew(root));
  });
});
