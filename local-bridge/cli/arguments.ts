import type { AnyContract, JsonSchema } from '../../contracts/contract.ts';
import { parseStrictJson } from '../../src/core/json.ts';
import { inputSchema } from '../../src/core/schema.ts';
import { CliError, EXIT } from '../lib/exit.ts';

/**
 * Reads a tool's arguments from the command line: `--name value`, `--name=value`, `--flag` and `--no-flag`. It reads
 * values as the schema's type. The tool itself decides whether they fit.
 */
export function argumentsFrom(words: readonly string[], contract: AnyContract): Record<string, unknown> {
  const properties = (inputSchema(contract).properties ?? {}) as Record<string, JsonSchema>;
  const args: Record<string, unknown> = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (!word.startsWith('--')) {
      const suggestion = `Write --field value, for instance \`bowline call ${contract.wireName} --${Object.keys(properties)[0] ?? 'name'} …\`.`;
      throw new CliError(`${JSON.stringify(word)} belongs to no field.`, suggestion, EXIT.usage);
    }
    const equals = word.indexOf('=');
    const written = word.slice(2, equals < 0 ? undefined : equals);
    const { field, value: implied } = fieldOf(written, properties);
    const schema = properties[field];
    if (implied !== undefined && equals < 0) {
      args[field] = implied;
    } else if (equals >= 0) {
      args[field] = readAs(word.slice(equals + 1), schema);
    } else {
      const next = words[i + 1];
      const takesNone = schema?.type === 'boolean' && next !== 'true' && next !== 'false';
      if (takesNone) args[field] = true;
      else if (next === undefined) throw new CliError(`--${written} needs a value.`, undefined, EXIT.usage);
      else {
        args[field] = readAs(next, schema);
        i++;
      }
    }
  }
  return args;
}

/**
 * Finds an option's field. `--max-results` and `--max_results` are one field; `--no-x` is `x: false` if `x` is a
 * switch.
 */
function fieldOf(
  written: string,
  properties: Record<string, JsonSchema>,
): { field: string; value?: boolean } {
  const plain = written.replaceAll('-', '_');
  if (Object.hasOwn(properties, plain)) return { field: plain };
  const positive = plain.replace(/^no_/, '');
  if (positive !== plain && properties[positive]?.type === 'boolean')
    return { field: positive, value: false };
  return { field: Object.hasOwn(properties, written) ? written : plain };
}

function readAs(text: string, schema: JsonSchema | undefined): unknown {
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'string':
      return text;
    default:
      // Objects, arrays and unions are written as JSON. Text that is not JSON is a string.
      return /^\s*[[{"]/.test(text) ? jsonOrText(text) : text;
  }
}

function jsonOrText(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return text;
  }
}
