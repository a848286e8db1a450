import { cooked, inner, type Node, placesIn } from './syntax.ts';

/** A piece of a file that is to be replaced. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Text that stands in code, between quotes or otherwise. */
interface Literal {
  readonly start: number;
  readonly end: number;
  readonly says: string;
  spell(says: string): string;
}

/** Replaces a piece of a string, template, regular expression or text of JSX, wherever it stands in a tree. */
export function textPieces(root: Node, source: string, wanted: string, replace: string): readonly Piece[] {
  return literalsIn(root, source).flatMap(({ start, end, says, spell }) =>
    placesOf(wanted, says).map(([from, to]) => {
      return { start, end, text: spell(says.slice(0, from) + replace + says.slice(to)) };
    }),
  );
}

/** Finds a text in another one. How many blanks and line breaks stand between its words does not matter. */
export function placesOf(wanted: string, text: string): readonly (readonly [number, number])[] {
  const pattern = wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+');
  return [...text.matchAll(new RegExp(pattern, 'g'))].map(({ 0: all, index }) => [index, index + all.length]);
}

function literalsIn(root: Node, source: string): readonly Literal[] {
  const raw = new Set<unknown>();
  const found: Literal[] = [];
  for (const { node, parent } of [{ node: root, parent: root }, ...placesIn(root)]) {
    const it = inner(node);
    // What a tag makes of the text is its own affair.
    if (it.type === 'TaggedTemplateExpression') raw.add(it.quasi);
    const literal = literalOf(it, source, raw.has(parent));
    if (literal) found.push(literal);
  }
  return found;
}

function literalOf(node: Node, source: string, isRaw: boolean): Literal | undefined {
  const { type, start, end } = node;
  const verbatim = (from: number, says: string) => {
    return { start: from, end: from + says.length, says, spell: (text: string) => text };
  };
  if (type === 'JSXText' || type === 'SQL') return verbatim(start, source.slice(start, end));
  if (type === 'TemplateElement') {
    // Where it begins, the parser counts the backtick or brace before it.
    const [spelt = ''] = /^(?:[^\\`$]|\\[\s\S]|\$(?!\{))*/.exec(source.slice(start + 1, end)) ?? [];
    if (isRaw) return verbatim(start + 1, spelt);
    const spell = (text: string) => text.replace(/[\\`]|\$(?=\{)/g, '\\$&');
    return { ...verbatim(start + 1, spelt), says: cooked(node), spell };
  }
  if (type !== 'Literal') return undefined;
  if (typeof node.value === 'string') return { start, end, says: node.value, spell: JSON.stringify };
  const { pattern } = Object(node.regex);
  return typeof pattern === 'string' ? verbatim(start + 1, pattern) : undefined;
}
