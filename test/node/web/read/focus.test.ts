import { expect, it } from 'vitest';
import { focus } from '../../../../src/web/read/focus.ts';
import { measure } from '../../../../src/web/read/measure.ts';
import { type El, element } from '../../../../src/web/read/tree.ts';

const DEPTH = 200;
const ENTRIES = 500;

it('looks at each element of a deep page a few times, not once for each level above it', () => {
  let looks = 0;
  const counted = (kids: (El | string)[], tag = 'div'): El => {
    const el = element(tag);
    for (const kid of kids) if (typeof kid !== 'string') kid.up = el;
    return Object.defineProperty(el, 'kids', {
      get: () => {
        looks++;
        return kids;
      },
    });
  };
  const entries = Array.from({ length: ENTRIES }, () => counted(['Tin lamp of the bay']));
  const said = counted(
    ['It says that the lamps of the bay burn for two nights, whatever the wind does.'],
    'p',
  );
  let root = counted([said, ...entries]);
  for (let level = 0; level < DEPTH; level++) root = counted([root]);
  measure(root);
  looks = 0;
  focus(root, (el) => el.chars + el.prose);
  expect(looks).toBeLessThan((DEPTH + ENTRIES) * 10);
});
