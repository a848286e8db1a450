import { type AnyContract, describedWhole, type JsonSchema } from '../contracts/contract.ts';
import { doorErrors } from '../contracts/door-errors.ts';
import { inputSchema, outputSchema } from '../src/core/schema.ts';

/** Writes every contract as a page for people. */
export function toolsMarkdown(contracts: readonly AnyContract[]): string {
  return [
    '# Tools',
    '',
    'Written by `npm run generate` from `contracts/`; change those and generate again.',
    '',
    '| tool | runs on | risk | approval | does |',
    '|---|---|---|---|---|',
    ...contracts.map((c) => {
      const [first = ''] = c.description.split(/(?<=\.)\s/);
      return `| [\`${c.wireName}\`](#${c.wireName}) | ${c.runsOn} | ${c.risk} | ${c.approval} | ${cell(first)} |`;
    }),
    '',
    ...contracts.flatMap(section),
    '## Errors of every tool',
    '',
    ...errorRows(doorErrors),
    '',
  ].join('\n');
}

function section(contract: AnyContract): string[] {
  const name = contract.name === contract.wireName ? '' : ` Contract name: \`${contract.name}\`.`;
  return [
    `## ${contract.wireName}`,
    '',
    `${describedWhole(contract)}${name}`,
    '',
    `At most ${contract.limits.perMinute} calls a minute; ${contract.limits.timeoutMs / 1000} s a call; needs the scope \`${contract.scope}\`.`,
    '',
    '**Takes**',
    '',
    ...fieldRows(inputSchema(contract)),
    '',
    '**Gives**',
    '',
    ...fieldRows(outputSchema(contract)),
    '',
    ...(Object.keys(contract.errors).length > 0
      ? ['**Can fail with**', '', ...errorRows(contract.errors), '']
      : []),
    ...contract.examples.flatMap((example) => [
      `**Example**: ${example.about}`,
      '',
      '```json',
      JSON.stringify({ input: example.input, output: example.output }, null, 2),
      '```',
      '',
    ]),
  ];
}

function fieldRows(schema: JsonSchema): string[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = new Set((schema.required ?? []) as string[]);
  const rows = Object.entries(properties).map(([name, field]) => {
    const fallback = field.default === undefined ? '' : `default \`${JSON.stringify(field.default)}\``;
    return `| \`${name}\` | ${cell(typeOf(field))} | ${required.has(name) ? 'yes' : fallback} | ${cell(String(field.description ?? ''))} |`;
  });
  return rows.length > 0 ? ['| field | type | required | is |', '|---|---|---|---|', ...rows] : ['Nothing.'];
}

function typeOf(field: JsonSchema): string {
  if (Array.isArray(field.enum)) return field.enum.map((value) => JSON.stringify(value)).join(' or ');
  const choices = field.anyOf ?? field.oneOf;
  if (Array.isArray(choices)) return choices.map(typeOf).join(' or ');
  const bounds = [
    ...pair(field.minLength, field.maxLength, 'characters'),
    ...pair(field.minimum, field.maximum, ''),
    ...pair(field.minItems, field.maxItems, 'items'),
  ];
  const base =
    field.type === 'array'
      ? `array of ${typeOf((field.items ?? {}) as JsonSchema)}`
      : String(field.type ?? 'any');
  return bounds.length > 0 ? `${base}, ${bounds.join(', ')}` : base;
}

function pair(low: unknown, high: unknown, unit: string): string[] {
  // zod states the safe-integer range for every integer, which tells a reader nothing.
  const shown = (value: unknown) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (!shown(low) && !shown(high)) return [];
  const range =
    shown(low) && shown(high) ? `${low}–${high}` : shown(low) ? `at least ${low}` : `at most ${high}`;
  return [`${range} ${unit}`.trim()];
}

function errorRows(errors: AnyContract['errors']): string[] {
  const rows = Object.entries(errors).map(
    ([code, e]) => `| \`${code}\` | ${e.status} | ${cell(e.message)} | ${cell(e.suggestion)} |`,
  );
  return ['| code | status | says | do |', '|---|---|---|---|', ...rows];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
