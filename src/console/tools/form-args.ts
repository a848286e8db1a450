import type { JsonSchema } from '../../../contracts/contract.ts';
import { JsonRefused, parseStrictJson } from '../../core/json.ts';

/** The form's field for one argument. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'long' | 'choice' | 'flag' | 'number' | 'json';
  readonly required: boolean;
  readonly hint: string;
  readonly choices: readonly string[];
  /** The initial text in the field. */
  readonly initial: string;
  /** True if text that is no JSON is an argument too. */
  readonly takesText: boolean;
}

/** Longer texts get a field of several lines. */
const LONG_CHARS = 5_000;

/** Makes one field for each property of a tool's input, required ones first. */
export function fieldsOf(schema: JsonSchema): Field[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(recordOf(schema.properties)).map(([name, value]) =>
    fieldOf(name, recordOf(value), required.has(name)),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, schema: JsonSchema, required: boolean): Field {
  const choices = Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === 'string') : [];
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.map(recordOf) : [];
  return {
    name,
    kind: kindOf(schema, choices),
    required,
    hint: typeof schema.description === 'string' ? schema.description : '',
    choices,
    initial: schema.default === undefined ? '' : asText(schema.default),
    takesText: options.some(({ type }) => type === 'string'),
  };
}

function kindOf(schema: JsonSchema, choices: readonly string[]): Field['kind'] {
  if (choices.length > 0) return 'choice';
  switch (schema.type) {
    case 'string':
      return typeof schema.maxLength === 'number' && schema.maxLength <= LONG_CHARS ? 'text' : 'long';
    case 'boolean':
      return 'flag';
    case 'integer':
    case 'number':
      return 'number';
    default:
      return 'json';
  }
}

type Args = { readonly args: Record<string, unknown> } | { readonly problem: string };

/** Reads arguments from a submitted form. The door checks them, not the form. */
export function argsOf(fields: readonly Field[], form: URLSearchParams): Args {
  const args: [string, unknown][] = [];
  for (const field of fields) {
    // Browsers send every line end as two characters.
    const text = form.get(inputName(field))?.replaceAll('\r\n', '\n') ?? '';
    if (field.kind === 'flag') {
      if (text !== '') args.push([field.name, text === 'true']);
      continue;
    }
    if (text === '' && (!field.required || field.kind !== 'long')) continue;
    const value = argumentOf(field, text);
    if ('problem' in value) return value;
    args.push([field.name, value.value]);
  }
  // Joined servers name their own properties, and one may be `__proto__`.
  return { args: Object.fromEntries(args) };
}

function argumentOf(field: Field, text: string): { readonly value: unknown } | { readonly problem: string } {
  if (field.kind === 'number') return { value: /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text };
  if (field.kind !== 'json') return { value: text };
  try {
    const value = parseStrictJson(text);
    // A field that accepts text takes `5` as text. Text that looks like JSON can be given in quotes.
    const isMeant =
      !field.takesText || typeof value === 'string' || (typeof value === 'object' && value !== null);
    return { value: isMeant ? value : text };
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return field.takesText ? { value: text } : { problem: `${field.name}: ${error.message}` };
  }
}

/** Gives the texts of a form for known arguments, such as those of an example. */
export function textsOf(
  fields: readonly Field[],
  args: Readonly<Record<string, unknown>>,
): Map<string, string> {
  return new Map(
    fields
      .filter(({ name }) => args[name] !== undefined)
      .map((field) => [inputName(field), fieldText(field, args[field.name])]),
  );
}

function fieldText(field: Field, value: unknown): string {
  const text = asText(value);
  if (field.kind !== 'json' || typeof value !== 'string') return text;
  const back = argumentOf(field, text);
  return 'value' in back && back.value === value ? text : JSON.stringify(value);
}

/** Gives the name of a field in the form, which cannot be one of the form's own. */
export function inputName({ name }: Pick<Field, 'name'>): string {
  return `arg.${name}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

function recordOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}
