import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { utf8Bytes } from '../../contracts/bytes.ts';
import type { JsonSchema } from '../../contracts/contract.ts';
import { errorText } from '../core/error-text.ts';
import { isRecord } from '../core/is-record.ts';
import { cleaned, hasUnseen } from '../core/visible.ts';
import { expandedSize } from './schema-refs.ts';
import { brokenParts, mapSchema, type SchemaNode } from './schema-walk.ts';
import { type Misfit, misfitIn } from './schema-words.ts';

/** Claude's apps drop a tool with a larger schema without a word. */
export const MAX_SCHEMA_BYTES = 16 * 1024;
/** The deepest nesting of a schema, counted in JSON. */
export const MAX_SCHEMA_DEPTH = 24;
/** The largest size of a schema with its references followed. */
export const MAX_EXPANDED = 2_000;
const MAX_TEXT = 600;

export type Side = 'inputSchema' | 'outputSchema';

/** Gives a schema in the form that a model may see, or says why it may not. */
export function readSchema(side: Side, value: unknown): { schema: JsonSchema } | { problems: string[] } {
  if (value === undefined || value === null) return { problems: [`It has no ${side}.`] };
  if (!isRecord(value)) return { problems: [`Its ${side} is not an object.`] };
  if (depthOf(value) > MAX_SCHEMA_DEPTH) {
    return { problems: [`Its ${side} is nested deeper than ${MAX_SCHEMA_DEPTH} levels.`] };
  }
  const bytes = utf8Bytes(JSON.stringify(value));
  if (bytes > MAX_SCHEMA_BYTES) {
    return { problems: [`Its ${side} has ${bytes} bytes; at most ${MAX_SCHEMA_BYTES} are allowed.`] };
  }
  const problems = [...rootProblems(side, value), ...partProblems(side, value)];
  if (problems.length > 0) return { problems };
  const shown = mapSchema(value, withCleanTexts);
  const schema = side === 'inputSchema' ? { ...shown, additionalProperties: false } : shown;
  const broken = compileProblem(schema);
  return broken ? { problems: [`Its ${side} is not a usable JSON Schema: ${broken}`] } : { schema };
}

function* rootProblems(side: Side, root: SchemaNode): Iterable<string> {
  if (root.type !== 'object') yield `Its ${side} does not have "type": "object".`;
  const properties = isRecord(root.properties) ? root.properties : {};
  if (root.properties !== undefined && !isRecord(root.properties))
    yield `The properties of its ${side} are not an object.`;
  const { required = [] } = root;
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string');
  if (!isList) yield `The required fields of its ${side} are not a list of names.`;
  else {
    const missing = required.filter((name) => !Object.hasOwn(properties, name));
    if (missing.length > 0) yield `Its ${side} requires fields that it does not describe: ${names(missing)}.`;
  }
  if (side === 'outputSchema') return;
  const { additionalProperties: others } = root;
  if (others !== undefined && others !== false)
    yield 'It takes parameters that its inputSchema does not describe.';
  for (const key of ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', 'unevaluatedProperties']) {
    if (Object.hasOwn(root, key)) yield `Its inputSchema has ${key} at its root, which models’ apps refuse.`;
  }
}

function partProblems(side: Side, root: SchemaNode): string[] {
  const problems = new Set<string>();
  mapSchema(root, (node) => {
    for (const key of ['patternProperties', '$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor']) {
      if (Object.hasOwn(node, key)) problems.add(`Its ${side} uses ${key}, which Bowline does not follow.`);
    }
    for (const key of brokenParts(node))
      problems.add(`The ${key} of its ${side} holds something that is not a schema.`);
    if (node !== root && Object.hasOwn(node, '$id'))
      problems.add(`A part of its ${side} has an $id of its own.`);
    const rest = Object.entries(node).filter(([key]) => key !== 'description' && key !== 'title');
    if (rest.some(([key, value]) => hasUnseen(key) || unseenWithin(value))) {
      problems.add(`Its ${side} has invisible characters or a forbidden field.`);
    }
    return node;
  });
  const size = expandedSize(root);
  if (typeof size === 'string') problems.add(`Its ${side} ${size}`);
  else if (size > MAX_EXPANDED) problems.add(`Its ${side} grows beyond ${MAX_EXPANDED} parts when followed.`);
  return [...problems];
}

/** Finds unseen characters in field names and allowed values. Texts for people in a schema are cleaned instead. */
function unseenWithin(value: unknown): boolean {
  if (typeof value === 'string') return hasUnseen(value);
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string' && hasUnseen(item));
  // A field with this name would become a prototype wherever the object is copied.
  return isRecord(value) && Object.keys(value).some((key) => key === '__proto__' || hasUnseen(key));
}

function withCleanTexts(node: SchemaNode): SchemaNode {
  const { $comment: _, examples: __, ...rest } = node;
  for (const key of ['description', 'title'] as const) {
    if (typeof rest[key] === 'string') rest[key] = cleaned(rest[key], MAX_TEXT);
    else delete rest[key];
  }
  return rest;
}

/** Collects all texts for people in a schema, to look through them. */
export function textsIn(schema: JsonSchema): string {
  const texts: string[] = [];
  mapSchema(schema, (node) => {
    for (const value of [node.description, node.title, node.default, node.const]) {
      if (typeof value === 'string') texts.push(value);
    }
    if (Array.isArray(node.enum)) texts.push(...node.enum.filter((value) => typeof value === 'string'));
    return node;
  });
  return texts.join('\n');
}

export type Check = (value: unknown) => Misfit | undefined;

/** Makes the check of values against a schema. It gives what is wrong with a value, or nothing. */
export function checkOf(schema: JsonSchema): Check {
  const validate = new CfWorkerJsonSchemaValidator().getValidator(mapSchema(schema, withoutCostlyParts));
  return (value) => {
    const result = validate(value);
    if (result.valid) return undefined;
    const { path, problem } = misfitIn(result.errorMessage);
    return { path: path.map((name) => cleaned(name, 64)), problem: cleaned(problem, 300) };
  };
}

/**
 * Removes parts that cost too much: a stranger's regular expression can run for ever, and comparing all items with all
 * others nearly so. The server itself applies those to its callers.
 */
function withoutCostlyParts(node: SchemaNode): SchemaNode {
  const { pattern: _, format: __, uniqueItems: ___, ...rest } = node;
  return rest;
}

function compileProblem(schema: JsonSchema): string | undefined {
  try {
    checkOf(schema)({});
    return undefined;
  } catch (error) {
    return cleaned(errorText(error), 200);
  }
}

export function depthOf(value: unknown, limit = 1_000): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0 || depth >= limit) return depth;
  }
}

function names(list: readonly string[]): string {
  return list
    .slice(0, 5)
    .map((name) => cleaned(name, 40))
    .join(', ');
}
