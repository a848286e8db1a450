import { BLOCK, measure, visit } from './measure.ts';
import { type El, element } from './tree.ts';

/** The parts of a page that a caller chose, as a part of its own, and how many of them the page shows. */
interface Selection {
  readonly top: El;
  readonly seen: number;
}

/** Puts the chosen elements one after the other. Leaves out those that are hidden, or inside another one. */
export function selectionOf(root: El, chosen: readonly El[]): Selection {
  const top = element('body');
  const wanted = new Set(chosen);
  if (wanted.has(root)) return { top: root, seen: chosen.length };
  let seen = 0;
  let group: El | undefined;
  let groupOf: El | null = null;
  const add = (el: El): void => {
    const set = SETS[el.tag];
    if (set === undefined) {
      group = undefined;
      top.kids.push(BLOCK.has(el.tag) ? el : around('div', el));
    } else if (group?.tag === set && groupOf === el.up) group.kids.push(el);
    else {
      group = around(set, el);
      groupOf = el.up;
      top.kids.push(group);
    }
  };
  const look = (from: El): void =>
    visit(from, (el) => {
      if (wanted.has(el)) {
        seen++;
        add(el);
        return false;
      }
      return undefined;
    });
  look(root);
  // What stood in a link may now stand outside of it.
  visit(top, (el) => {
    el.measured = false;
    return undefined;
  });
  measure(top);
  return { top, seen };
}

/** The elements that say more in a set of their kind, such as the rows of one table. */
const SETS: Readonly<Record<string, string>> = { li: 'ul', tr: 'table', dt: 'dl', dd: 'dl' };

function around(tag: string, el: El): El {
  const outer = element(tag);
  outer.kids = [el];
  return outer;
}
