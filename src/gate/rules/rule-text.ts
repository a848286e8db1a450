import { visible } from '../../core/visible.ts';
import { asTyped } from './argv-ending.ts';
import type { ArgvMatch, FieldMatch, Match, Rule, RuleDraft } from './rule.ts';

/** Describes a rule in one sentence, for the person who has to agree with it. */
export function describeRule(rule: RuleDraft | Rule): string {
  const { tool, machine, effect, match, expiresAt, maxUses } = rule;
  const where = machine === null ? '' : ` on ${quoted(machine)}`;
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ');
  const times = maxUses === null ? '' : `, ${maxUses} ${maxUses === 1 ? 'time' : 'times'} at most`;
  return `${VERBS[effect]} ${quoted(tool)}${where} ${saysOf(match, effect === 'allow')}, until ${until} UTC${times}.`;
}

const VERBS = { allow: 'Allow', ask: 'Ask before', deny: 'Deny' } as const;

function saysOf(match: Match, allows: boolean): string {
  switch (match.kind) {
    case 'any':
      return 'whatever its arguments';
    case 'tool':
      return `whatever its arguments${match.root === null ? '' : `, in the folder ${quoted(match.root)}`}, and what is dangerous only in a sandbox`;
    case 'json':
      return `when its arguments, as JSON, match ${quoted(match.regex)}`;
    case 'arguments':
      return fieldsSay(Object.entries(match.fields), allows, 'when');
    case 'argv':
      return commandSays(match, allows);
  }
}

function fieldsSay(fields: readonly [string, FieldMatch][], allows: boolean, begin: string): string {
  const each = fields.map(
    ([name, field]) => `${/^\w+$/.test(name) ? name : quoted(name)} ${fieldSays(field)}`,
  );
  return `${begin} ${[...each, ...(allows ? ['nothing else is given'] : [])].join(' and ')}`;
}

function fieldSays(field: FieldMatch): string {
  if ('any' in field) return 'is anything';
  return 'regex' in field ? `matches ${quoted(field.regex)}` : `is ${quoted(field.equals)}`;
}

function commandSays({ argv, options, operands, endings, fields }: ArgvMatch, allows: boolean): string {
  const isFixed = allows && options.length === 0 && operands === 'none';
  const follow = [
    ...(options.length > 0 ? [`the options ${typed(options)}`] : []),
    ...(operands === 'any' ? ['names inside the folder'] : []),
  ];
  const rest = allows ? `, followed by nothing but ${follow.join(' and ')}` : ', whatever follows';
  const words = typed(argv);
  const others = Object.entries(allows ? { timeout_seconds: ANYTHING, ...fields } : fields);
  return [
    isFixed ? `when the command is ${words}` : `when the command begins with ${words}${rest}`,
    ...(endings === undefined ? [] : [endingsSay(endings)]),
    ...(allows || others.length > 0 ? [fieldsSay(others, allows, 'and')] : []),
  ].join(', ');
}

function endingsSay(endings: 'any' | readonly string[]): string {
  if (endings === 'any') return 'its output whole or through `head`, `tail`, `grep`, `wc` or `cat`';
  return `its output whole or by ${endings.map((one) => quoted(one)).join(' or ')}`;
}

const ANYTHING: FieldMatch = { any: true };

/** Writes words as a person would type them. */
function typed(words: readonly string[]): string {
  return quoted(words.map((word) => asTyped(word) ?? `'${word}'`).join(' '));
}

/**
 * Quotes a value and cuts a long one. People read the sentence, and the page shows the whole rule beside it.
 */
function quoted(value: unknown): string {
  return visible(JSON.stringify(value), 200);
}
