import { styleText } from 'node:util';
import { type AnyContract, describedWhole, type JsonSchema } from '../../contracts/contract.ts';
import { inputSchema } from '../../src/core/schema.ts';
import { visible, visibleLine } from '../../src/core/visible.ts';

/** Writes the help of one tool: what it does, its fields, and a call that works. */
export function toolHelp(contract: AnyContract): string {
  const schema = inputSchema(contract);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const rows = fields.map(
    ([name, field]) => [optionOf(name, field), aboutOf(field, required.has(name))] as const,
  );
  const width = Math.max(0, ...rows.map(([option]) => option.length));
  const [example] = contract.examples;
  return [
    `Usage: bowline call ${contract.wireName}${fields.length > 0 ? ' --field value …' : ''}`,
    '',
    visible(describedWhole(contract)),
    ...(rows.length > 0 ? ['', styleText('bold', 'Fields:')] : []),
    ...rows.map(([option, about]) => `  ${option.padEnd(width)}  ${about}`),
    ...(example
      ? ['', styleText('bold', 'Example:'), `  ${exampleOf(contract.wireName, example.input)}`]
      : []),
    '',
    'You can add the options of `bowline call --help`.',
  ].join('\n');
}

function optionOf(name: string, { type }: JsonSchema): string {
  const written = `--${name.replaceAll('_', '-')}`;
  if (type === 'boolean') return written;
  if (type === 'integer' || type === 'number') return `${written} <number>`;
  return `${written} <${type === 'string' ? 'text' : 'json'}>`;
}

function aboutOf({ description, default: usual, enum: choices }: JsonSchema, isRequired: boolean): string {
  const notes = [
    ...(Array.isArray(choices) ? [`one of ${choices.join(', ')}`] : []),
    ...(isRequired ? ['required'] : []),
    ...(usual === undefined ? [] : [`default: ${JSON.stringify(usual)}`]),
  ];
  const about = typeof description === 'string' ? visibleLine(description) : '';
  return `${about}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`.trim();
}

function exampleOf(wireName: string, input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const words = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `--${name.replaceAll('_', '-')} ${quoted(text)}`;
  });
  return ['bowline call', wireName, ...words].join(' ');
}

/** Quotes a word for a shell, if it needs that. */
function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
