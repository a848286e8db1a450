import { BLOCK, changed } from './measure.ts';
import { type El, element } from './tree.ts';

/** Elements whose own text is one line, whatever else they hold. */
const WHOLE = /^(?:pre|p|h[1-6]|tr|table|tbody|thead|tfoot|figcaption)$/;

const isLoose = (kid: El | string): boolean => typeof kid !== 'string' || /\S/.test(kid);

/**
 * Puts text between blocks into blocks of its own, as a browser lays it out, so that rules see it as a line.
 * Tells whether there are blocks.
 */
export function layOut(el: El): boolean {
  let blocks: Set<El | string> | undefined;
  for (const kid of el.kids) {
    if (typeof kid === 'string' || kid.tag === 'br') continue;
    if (!layOut(kid) && !BLOCK.has(kid.tag)) continue;
    blocks ??= new Set();
    blocks.add(kid);
  }
  if (!blocks) return false;
  if (blocks.size < el.kids.length && BLOCK.has(el.tag) && !WHOLE.test(el.tag)) wrapRuns(el, blocks);
  return true;
}

function wrapRuns(el: El, blocks: ReadonlySet<El | string>): void {
  const laid: (El | string)[] = [];
  let run: (El | string)[] = [];
  const close = () => {
    if (run.some(isLoose)) laid.push(lineOf(run, el));
    else for (const kid of run) laid.push(kid);
    run = [];
  };
  for (const kid of el.kids) {
    if (!blocks.has(kid)) run.push(kid);
    else {
      close();
      laid.push(kid);
    }
  }
  close();
  el.kids = laid;
  changed(el);
}

function lineOf(kids: (El | string)[], up: El): El {
  const line = element('div');
  line.kids = kids;
  line.up = up;
  for (const kid of kids) if (typeof kid !== 'string') kid.up = line;
  return line;
}
