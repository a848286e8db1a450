import { isRecord } from '../core/is-record.ts';
/** A schema or a part of one that is not just `true` or `false`. */
export type SchemaNode = Record<string, unknown>;

const ONE = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** Lists every part of a schema that is a schema itself. A field called `pattern` is a field, not a pattern. */
export function* partsOf(
  node: SchemaNode,
): Iterable<readonly [string, string | number | undefined, SchemaNode]> {
  for (const key of ONE) if (isRecord(node[key])) yield [key, undefined, node[key]];
  for (const key of LISTS) {
    const list = node[key];
    if (!Array.isArray(list)) continue;
    for (const [at, part] of list.entries()) if (isRecord(part)) yield [key, at, part];
  }
  for (const key of MAPS) {
    const map = node[key];
    if (!isRecord(map)) continue;
    for (const [name, part] of Object.entries(map)) if (isRecord(part)) yield [key, name, part];
  }
}

/** Lists the keywords of a node that hold something else in the place of a schema. */
export function brokenParts(node: SchemaNode): string[] {
  const isSchema = (value: unknown) => typeof value === 'boolean' || isRecord(value);
  const isList = (value: unknown) => Array.isArray(value) && value.every(isSchema);
  return Object.keys(node).filter((key) => {
    const value = node[key];
    if (key === 'items') return !isSchema(value) && !isList(value);
    if (ONE.includes(key)) return !isSchema(value);
    if (LISTS.includes(key)) return !isList(value);
    if (!MAPS.includes(key)) return false;
    // Here a name may also stand for the other names that it needs.
    const isPart = (part: unknown) => isSchema(part) || (key === 'dependencies' && Array.isArray(part));
    return !isRecord(value) || !Object.values(value).every(isPart);
  });
}

/** Copies a schema, replacing every part, from the root inwards, with what `edit` makes of it. */
export function mapSchema(schema: Readonly<SchemaNode>, edit: (node: SchemaNode) => SchemaNode): SchemaNode {
  const edited = edit(schema);
  const copy: SchemaNode = { ...edited };
  for (const [key, at, part] of partsOf(edited)) {
    const mapped = mapSchema(part, edit);
    if (at === undefined) copy[key] = mapped;
    else if (typeof at === 'number') {
      const list = copy[key] === edited[key] ? [...(edited[key] as unknown[])] : (copy[key] as unknown[]);
      list[at] = mapped;
      copy[key] = list;
    } else {
      const map = copy[key] === edited[key] ? { ...(edited[key] as SchemaNode) } : (copy[key] as SchemaNode);
      map[at] = mapped;
      copy[key] = map;
    }
  }
  return copy;
}
