import { parseSync } from 'vite';

/** A node of the syntax tree of a file. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Parses TypeScript or JavaScript, and throws an error that says what is wrong with it. */
export function parse(path: string, text: string): Node {
  const { program } = check(path, text);
  if (!isNode(program)) throw new Error(`${path} holds no program.`);
  return program;
}

/** Throws an error if a text does not parse. Takes less time than `parse`, as it builds no tree. */
export function check(path: string, text: string): ReturnType<typeof parseSync> {
  const result = parseSync(path, text);
  const [error] = result.errors;
  if (error) throw new Error(`${path} cannot be read: ${error.message}`);
  return result;
}

/** Gives the node inside of parentheses. */
export function inner(node: Node): Node {
  return node.type === 'ParenthesizedExpression' && isNode(node.expression) ? inner(node.expression) : node;
}

/** Gives the members of a list that say something: no stray semicolon, and no blanks between elements of JSX. */
export function members(list: readonly unknown[]): readonly Node[] {
  return list.filter((one): one is Node => {
    if (!isNode(one) || one.type === 'EmptyStatement') return false;
    // Layout decides whether a blank in JSX is spelt `{' '}`.
    const text = one.type === 'JSXExpressionContainer' && isNode(one.expression) ? one.expression : one;
    return !(one.type.startsWith('JSX') && 'value' in text) || String(text.value).trim() !== '';
  });
}

/** The places of a tree where types stand, which are gone when the program runs. */
const TYPES = new Set([
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
  'superTypeArguments',
  'implements',
]);

/** Where a node stands in the node around it. */
export interface Place {
  readonly node: Node;
  readonly parent: Node;
  readonly key: string;
  /** Set if it is one of several there. */
  readonly list?: readonly Node[];
}

/** Walks over a tree from the outside in, without the types. Parentheses belong to what they hold. */
export function* placesIn(parent: Node): Generator<Place> {
  // The name and the value of `{ name }` are one word.
  if (parent.type === 'Property' && parent.shorthand === true) return;
  for (const [key, value] of Object.entries(parent)) {
    if (TYPES.has(key)) continue;
    if (Array.isArray(value)) {
      const list = members(value);
      for (const node of list) {
        yield { node, parent, key, list };
        yield* placesIn(inner(node));
      }
    } else if (isNode(value)) {
      yield { node: value, parent, key };
      yield* placesIn(inner(value));
    }
  }
}

/** Does not count in a comparison: where a node stands, and how it is spelt. */
const SPELLING = new Set(['type', 'start', 'end', 'raw', 'shorthand', 'tail', 'range', 'parent']);

/** Tells whether two pieces of code are the same but for layout, quotes, comments, parentheses and such. */
export function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    const [lefts, rights] = [members(left), members(right)];
    return lefts.length === rights.length && lefts.every((one, i) => isSame(one, rights[i]));
  }
  if (!isNode(left) || !isNode(right)) return isSameValue(left, right);
  const [a, b] = [simple(left), simple(right)];
  if (a.type !== b.type) return false;
  const keys = Object.keys({ ...a, ...b }).filter((key) => !SPELLING.has(key));
  return keys.every((key) => isSame(a[key], b[key]));
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null) return Object.is(left, right);
  // The pattern and flags of a regular expression, and the two spellings of a piece of a template.
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Gives one of the several ways in which the same code can be written. */
function simple(node: Node): Node {
  const { type, start, end } = node;
  if (type === 'ParenthesizedExpression') return simple(inner(node));
  if (type === 'JSXText') return { type, start, end, value: String(node.value).replace(/\s+/g, ' ').trim() };
  if (type === 'BlockStatement' && Array.isArray(node.body)) {
    const [only, ...more] = members(node.body);
    if (only && more.length === 0 && !/Declaration$/.test(only.type)) return simple(only);
  }
  if (type === 'TemplateLiteral' && Array.isArray(node.quasis) && node.quasis.length === 1)
    return { type: 'Literal', start, end, value: cooked(node.quasis[0]) };
  if (type === 'TemplateElement') return { type, start, end, value: cooked(node) };
  if (isNode(node.key) && node.computed !== true) return { ...node, key: nameOf(node.key) };
  return node;
}

/** Gives what a piece of a template says once its escapes are read. */
export function cooked(element: unknown): string {
  const value = isNode(element) ? element.value : undefined;
  if (typeof value !== 'object' || value === null || !('raw' in value)) return '';
  return String('cooked' in value && typeof value.cooked === 'string' ? value.cooked : value.raw);
}

/** Gives the name that an identifier, a private name or a quoted key is. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'PrivateIdentifier') return `#${node.name}`;
  if (node.type === 'Identifier') return String(node.name);
  return node.type === 'Literal' ? String(node.value) : undefined;
}
