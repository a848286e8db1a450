import { functionOf } from './declarations.ts';
import { type Match, matchesOf, readingsOf } from './pattern.ts';
import { isNode, type Node } from './syntax.ts';
import { type Piece, textPieces } from './text.ts';

/** What is changed in a declaration. All code is compared as syntax, so its layout, quotes and comments do not matter. */
export type Change =
  /** Code is replaced by other code: an expression, a statement or several, a property and so on. */
  | { readonly find: string; readonly replace: string }
  /** Code is left out: a statement, an argument, an element, or one side of `&&`, `||` or `??`. */
  | { readonly remove: string }
  /** The function does something else altogether. */
  | { readonly body: string }
  /** Within a string, template, regular expression or text of JSX, a piece is replaced. */
  | { readonly text: string; readonly replace: string };

/** Gives every way in which a change fits a declaration. */
export type Fit = (node: Node, source: string) => readonly Piece[];

/** Reads a change once, to be tried at many places. */
export function fitOf(change: Change): Fit {
  if ('body' in change) return (node) => bodyPieces(node, change.body);
  if ('text' in change) return (node, source) => textPieces(node, source, change.text, change.replace);
  const readings = readingsOf('find' in change ? change.find : change.remove);
  if (readings.length === 0) throw new Error('It cannot be read as code.');
  return (node, source) =>
    matchesOf(readings, node).map((match) =>
      'find' in change ? replaced(match, change.replace) : removed(match, source),
    );
}

function bodyPieces(node: Node, body: string): readonly Piece[] {
  const its = functionOf(node)?.body;
  return isNode(its) ? [{ start: its.start, end: its.end, text: `{ ${body} }` }] : [];
}

/** Expressions that hold together whatever stands around them. */
const TIGHT =
  /^(?:Identifier|Literal|TemplateLiteral|CallExpression|MemberExpression|ArrayExpression|JSX\w+)$/;

function replaced({ kind, key, list, start, end }: Match, code: string): Piece {
  if (code.trim() === '') throw new Error('`replace` is empty: say `remove`.');
  if (kind === 'expression') {
    const node = readingsOf(code).find((one) => one.kind === 'expression')?.nodes[0];
    if (node && key === 'children' && !node.type.startsWith('JSX')) return { start, end, text: `{${code}}` };
    return { start, end, text: !node || TIGHT.test(node.type) ? code : `(${code})` };
  }
  if (kind !== 'statement') return { start, end, text: code };
  const whole = /[;}]\s*$/.test(code) ? code : `${code};`;
  return { start, end, text: list ? whole : `{ ${whole} }` };
}

/** What stands in these lists is parted by commas. */
const WITH_COMMAS = ['elements', 'arguments', 'properties', 'params', 'expressions', 'declarations'];

function removed({ node, parent, key, list = [], start, end }: Match, source: string): Piece {
  const other = parent[key === 'left' ? 'right' : 'left'];
  if (parent.type === 'LogicalExpression' && isNode(other))
    return { start: parent.start, end: parent.end, text: source.slice(other.start, other.end) };
  if (WITH_COMMAS.includes(key)) {
    const next = list.find((one) => one.start >= end);
    const before = list.findLast((one) => one.end <= start);
    if (next) return { start, end: next.start, text: '' };
    if (before) return { start: before.end, end, text: '' };
    const comma = /^\s*,/.exec(source.slice(end))?.[0].length ?? 0;
    return { start, end: end + comma, text: '' };
  }
  if (list.length > 0) return { start, end, text: '' };
  if (/Statement$/.test(node.type)) return { start, end, text: '{}' };
  throw new Error('It cannot be left out there: say with `find` and `replace` what stands in its place.');
}
