import { partsOf, type SchemaNode } from './schema-walk.ts';

/** Counts the parts of a schema that a check may look at when it follows references, or says why there is no end. */
export function expandedSize(root: SchemaNode): number | string {
  const known = new Map<SchemaNode, number>();
  const open = new Set<SchemaNode>();
  const sizeOf = (node: SchemaNode): number | string => {
    const made = known.get(node);
    if (made !== undefined) return made;
    if (open.has(node)) return 'refers to itself, so it has no end.';
    open.add(node);
    let size = 1;
    for (const [key, , part] of partsOf(node)) {
      // A definition costs nothing until something refers to it.
      if (key === '$defs' || key === 'definitions') continue;
      const more = sizeOf(part);
      if (typeof more === 'string') return more;
      size += more;
    }
    const { $ref } = node;
    if ($ref !== undefined) {
      const target = typeof $ref === 'string' ? resolve(root, $ref) : undefined;
      if (!target) return 'refers to something that is not in it.';
      const more = sizeOf(target);
      if (typeof more === 'string') return more;
      size += more;
    }
    open.delete(node);
    known.set(node, size);
    return size;
  };
  return sizeOf(root);
}

/** Finds what a reference within the schema points at. */
function resolve(root: SchemaNode, ref: string): SchemaNode | undefined {
  if (!/^#(?:\/|$)/.test(ref)) return undefined;
  let at: unknown = root;
  for (const word of ref.slice(1).split('/').slice(1)) {
    const key = decoded(word);
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as SchemaNode) : undefined;
}

function decoded(word: string): string | undefined {
  try {
    return decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // Not a pointer at all.
    return undefined;
  }
}
