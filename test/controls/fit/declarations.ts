import { inner, isNode, type Node, parse } from './syntax.ts';

/** Something with a name that a file declares at its top: `admit`, `Approvals`, `Approvals.decide`. */
export interface Declaration {
  /** Empty for what a file does when it is loaded. */
  readonly name: string;
  readonly node: Node;
}

/** Gives all that a file declares at its top, the members of its classes, and its other statements without a name. */
export function declarationsIn(path: string, text: string): readonly Declaration[] {
  if (path.endsWith('.sql')) return createdIn(text);
  return nodes(parse(path, text).body).flatMap((statement) => {
    const it = isNode(statement.declaration) ? statement.declaration : statement;
    if (it.type === 'VariableDeclaration')
      return nodes(it.declarations).flatMap((node) => namesIn(node.id).map((name) => ({ name, node })));
    const [name] = namesIn(it.id);
    if (name === undefined) return /^(?:Import|Export)/.test(it.type) ? [] : [{ name: '', node: statement }];
    const body = isNode(it.body) && it.body.type === 'ClassBody' ? nodes(it.body.body) : [];
    const members = body.flatMap((node) =>
      namesIn(node.key).map((key) => ({ name: `${name}.${key}`, node })),
    );
    return [{ name, node: statement }, ...members];
  });
}

const CREATED = /^CREATE (?:[A-Z]+ )*(?:TABLE|TRIGGER|INDEX) (\w+)(?:(?!^(?:CREATE|DROP|--))[\s\S])*/gm;

function createdIn(sql: string): readonly Declaration[] {
  return [...sql.matchAll(CREATED)].map(({ 0: all, 1: name = '', index }) => {
    return { name, node: { type: 'SQL', start: index, end: index + all.length } };
  });
}

/** Gives the function that a declaration is, be it a function, a method or a constant. */
export function functionOf(node: Node): Node | undefined {
  if (/Function/.test(node.type)) return node;
  const next = [node.declaration, node.value, node.init].find(isNode);
  return next && functionOf(inner(next));
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function namesIn(id: unknown): readonly string[] {
  if (!isNode(id)) return [];
  if (id.type === 'Identifier') return [String(id.name)];
  if (id.type === 'PrivateIdentifier') return [`#${id.name}`];
  if (id.type === 'Literal') return [String(id.value)];
  return [...nodes(id.properties), ...nodes(id.elements)].flatMap((one) => namesIn(one.value ?? one));
}
