import type * as z from 'zod';
import type { AnyContract } from '../../contracts/contract.ts';
import { doorFailure, type Failure, failureOf } from './failure.ts';
import { nearest } from './nearest.ts';
import { fieldsAt, inputSchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** More complaints at once do not help the reader. */
const MAX_COMPLAINTS = 5;
/** A longer list of names is better read in the schema. */
const MAX_NAMES = 8;

/** Turns a schema's complaints into one failure that a person or a model can act on. */
export function invalidInput(contract: AnyContract, error: z.ZodError): Failure {
  const { issues } = error;
  const named = issues.map((issue) => ownError(issue, contract)).find((code) => code);
  const message = issues
    .slice(0, MAX_COMPLAINTS)
    .map((issue) => sentence(issue, contract))
    .join(' ');
  const spec = named ? contract.errors[named] : undefined;
  return named && spec ? failureOf(named, spec, { message }) : doorFailure('invalid_input', { message });
}

/** Gives the contract's own error name for a complaint: the check's name, or the field's. */
function ownError(issue: Issue, contract: AnyContract): string | undefined {
  const byCheck: unknown = issue.code === 'custom' ? issue.params?.error : undefined;
  return typeof byCheck === 'string' ? byCheck : contract.inputErrors?.[String(issue.path[0])];
}

function sentence(issue: Issue, contract: AnyContract): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_COMPLAINTS)
      .map((key) => unknownField(key, issue.path, contract))
      .join(' ');
  }
  const field = issue.path.length > 0 ? `\`${nameOf(issue.path)}\`` : 'The argument object';
  return `${field} ${complaint(issue)}.`;
}

function complaint(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return `must ${bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    case 'invalid_union':
      return 'has none of the forms it may have';
    case 'custom':
      // The words of a check that already follow the name of the field.
      return issue.params?.isPhrase === true ? issue.message : `is not acceptable: ${issue.message}`;
    default:
      return `is not acceptable: ${issue.message}`;
  }
}

function bound(origin: string, limit: number | bigint, relation: string): string {
  if (origin === 'string') return `have ${relation} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${relation} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `be ${relation} ${limit}`;
}

function unknownField(key: string, path: readonly PropertyKey[], contract: AnyContract): string {
  const known = fieldsAt(inputSchema(contract), path);
  const close = nearest(key, known);
  const advice =
    close === undefined ? fieldsOf(path, known) : `did you mean \`${nameOf([...path, close])}\`?`;
  return `\`${nameOf([...path, key])}\` is not a field of this tool${advice ? `; ${advice}` : '.'}`;
}

/** Names what there is inside a field, because only the whole schema shows that. */
function fieldsOf(path: readonly PropertyKey[], known: readonly string[]): string | undefined {
  if (path.length === 0 || known.length === 0 || known.length > MAX_NAMES) return undefined;
  return `\`${nameOf(path)}\` has ${known.map((name) => `\`${nameOf([name])}\``).join(', ')}.`;
}

/** Names a field by its place. Keys can be the caller's own text, so each is cut. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.map((key) => String(key).slice(0, 64)).join('.');
}

function withArticle(type: string): string {
  const plain = type === 'int' ? 'integer' : type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(plain) ? 'an' : 'a'} ${plain}`;
}
