import { parseSync } from 'vite';
import { inner, isNode, isSame, members, type Node, type Place, placesIn } from './syntax.ts';

/** What can surround a piece of code. The piece is whatever it can be in one of these. */
const FRAMES = {
  statement: ['class _ extends _ { async *_() {', '\n} }'],
  expression: ['class _ extends _ { async *_() { (', '\n) } }'],
  property: ['({', '\n})'],
  member: ['class _ extends _ {', '\n}'],
  parameter: ['(function (', '\n) {})'],
  attribute: ['<_ ', '\n/>'],
  child: ['<_>', '</_>'],
  case: ['switch (_) {', '\n}'],
} as const;
type Kind = keyof typeof FRAMES;

/** One of the things that a piece of code can be: one node, or several that follow each other. */
interface Reading {
  readonly kind: Kind;
  readonly nodes: readonly Node[];
}

/** Where a piece of code stands in a tree. */
export interface Match extends Place {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

/** Gives all that a piece of code can be, depending on what stands around it. */
export function readingsOf(code: string): readonly Reading[] {
  return (Object.keys(FRAMES) as Kind[]).flatMap((kind) => {
    const [before, after] = FRAMES[kind];
    const { program, errors } = parseSync('code.tsx', before + code + after);
    if (errors.length > 0 || !isNode(program)) return [];
    const nodes = members(outermost(program, before.length, before.length + code.length));
    // Between tags all is text, whatever it says.
    const isText = nodes.some(({ type }) => type === 'JSXText');
    return nodes.length > 0 && !isText ? [{ kind, nodes }] : [];
  });
}

function outermost(node: Node, from: number, to: number): readonly Node[] {
  if (node.start >= from && node.end <= to) return [node];
  const within = Object.values(node).flat().filter(isNode);
  return within.flatMap((one) => (one.end > from && one.start < to ? outermost(one, from, to) : []));
}

/** Finds every place in a tree where a piece of code stands. */
export function matchesOf(readings: readonly Reading[], root: Node): readonly Match[] {
  const found: Match[] = [];
  const whole: Place = { node: root, parent: root, key: '' };
  for (const place of [whole, ...placesIn(root)])
    for (const { kind, nodes } of readings) {
      const last = lastOf(place, kind, nodes);
      if (last) found.push({ ...place, kind, start: place.node.start, end: last.end });
    }
  // A statement that is one expression, written without its semicolon, is found as both.
  return found.filter((one, i) => !found.slice(0, i).some((other) => isRepeat(one, other)));
}

function isRepeat(one: Match, other: Match): boolean {
  return other.start === one.start && (other.end === one.end || other.node.type === 'ExpressionStatement');
}

/** Gives the node at which a reading ends that begins at this place, if it stands there. */
function lastOf(place: Place, kind: Kind, [first, ...more]: readonly Node[]): Node | undefined {
  const { node, key, list = [] } = place;
  if (!first || inner(node).type !== inner(first).type) return undefined;
  if (kind === 'parameter' ? key !== 'params' : isName(place)) return undefined;
  const from = list.indexOf(node);
  if (more.length > 0 && from < 0) return undefined;
  const rest = more.map((one, i) => ({ one, there: list[from + i + 1] }));
  if (!isSame(first, node) || !rest.every(({ one, there }) => isSame(one, there))) return undefined;
  return rest.at(-1)?.there ?? node;
}

/** Tells whether a word is the name of something there, and no expression. */
function isName({ node, parent, key }: Place): boolean {
  if (node.type !== 'Identifier') return false;
  if (key === 'property' || key === 'key') return parent.computed !== true;
  return ['id', 'params', 'param', 'label', 'local', 'imported', 'exported'].includes(key);
}
