import { isRecord } from '../core/is-record.ts';
import { canonicalJson } from '../core/json.ts';
import type { ServerTool } from './conform.ts';
import { hintWords } from './hints.ts';

/** Says how a tool differs from what it was: its words, and the arguments it takes. */
export function changesOf(before: ServerTool, now: ServerTool): string[] {
  const said = [];
  if (before.title !== now.title) said.push(`Its title was ${JSON.stringify(before.title)}.`);
  if (before.description !== now.description)
    said.push(`It said of itself: ${JSON.stringify(before.description)}`);
  if (isOther(before.inputSchema, now.inputSchema)) {
    said.push(...argumentChanges(before.inputSchema, now.inputSchema));
    said.push(`Its arguments were: ${canonicalJson(before.inputSchema)}`);
  }
  if (isOther(before.hints ?? {}, now.hints ?? {}))
    said.push(`Its server said of its harm: ${hintWords(before.hints ?? {}) || 'nothing'}.`);
  if (isOther(before.outputSchema, now.outputSchema)) said.push('Its answers have another form now.');
  return said;
}

type Schema = ServerTool['inputSchema'];

function argumentChanges(before: Schema, now: Schema): string[] {
  const [were, are] = [argumentsIn(before), argumentsIn(now)];
  const named = (title: string, names: string[]) =>
    names.length === 0 ? [] : [`${title}: ${names.map((name) => JSON.stringify(name)).join(', ')}.`];
  return [
    ...named(
      'New arguments',
      [...are.keys()].filter((name) => !were.has(name)),
    ),
    ...named(
      'Arguments that are gone',
      [...were.keys()].filter((name) => !are.has(name)),
    ),
    ...named(
      'Arguments that changed',
      [...are.keys()].filter((name) => were.has(name) && were.get(name) !== are.get(name)),
    ),
  ];
}

/** Gives each argument with all that is said of it, as one text. */
function argumentsIn({ properties, required }: Schema): Map<string, string> {
  const isRequired = new Set(Array.isArray(required) ? required : []);
  return new Map(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => [
      name,
      canonicalJson([schema, isRequired.has(name)]),
    ]),
  );
}

function isOther(a: unknown, b: unknown): boolean {
  return canonicalJson(a) !== canonicalJson(b);
}
