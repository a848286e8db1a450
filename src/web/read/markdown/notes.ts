import { plainText, visit } from '../measure.ts';
import type { El } from '../tree.ts';

const NOTE_ID = /^(?:_?(?:fn|ftn|footnote|foot-note|note|endnote|cite_note|sdfootnote)s?)[-_:.]?\w/i;
const BACK = /^#(?:.*ref|_ftnref)|^#(?:cite_ref|fnref|footnote-?ref|a\d)/i;

/** The footnotes of a page: what each mark in the text stands for. */
export interface Notes {
  /** Gives the label of the note that a link leads to, if it is one. */
  readonly labelOf: (link: El) => string | undefined;
  /** Gives the label of a note's own element. */
  readonly noteAt: (el: El) => string | undefined;
  /** Recognises the link by which a note leads back. */
  readonly isWayBack: (link: El) => boolean;
}

const targetOf = (link: El): string => {
  const { href = '' } = link.attrs;
  return href.startsWith('#') ? href.slice(1) : '';
};

const within = (el: El, see: (el: El) => void): void =>
  visit(el, (each) => {
    see(each);
    if (each.extra) {
      see(each.extra);
      within(each.extra, see);
    }
    return undefined;
  });

/** Finds the footnotes in a part of a page: elements with a note's id to which a short link leads. */
export function notesIn(top: El): Notes {
  const marks = new Map<string, string>();
  const targets = new Map<string, El>();
  const links: El[] = [];
  within(top, (el) => {
    const { id } = el.attrs;
    if (id && el.tag !== 'a' && el.tag !== 'sup' && NOTE_ID.test(id) && !/ref/i.test(id)) targets.set(id, el);
    if (el.tag === 'a' && NOTE_ID.test(targetOf(el)) && el.chars < 12) links.push(el);
  });
  const labels = new Map<El, string>();
  for (const link of links) {
    const target = targetOf(link);
    const note = targets.get(target);
    if (!note || marks.has(target)) continue;
    const said = plainText(link).replace(/[^\p{L}\p{N}-]/gu, '');
    const label = /^[\p{L}\p{N}-]{1,8}$/u.test(said) ? said : String(marks.size + 1);
    marks.set(target, label);
    labels.set(note, label);
  }
  return {
    labelOf: (link) => (marks.size > 0 ? marks.get(targetOf(link)) : undefined),
    noteAt: (el) => (labels.size > 0 ? labels.get(el) : undefined),
    isWayBack: (link) =>
      labels.size > 0 && BACK.test(link.attrs.href ?? '') && link.chars < 12 && !marks.has(targetOf(link)),
  };
}
