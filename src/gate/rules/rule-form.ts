import { canonicalJson } from '../../core/json.ts';
import { parseCommand } from './argv.ts';
import { asTyped } from './argv-ending.ts';
import type { RuleDraft as Draft, FieldMatch, FieldMatches, RuleProblem } from './rule.ts';
import { type RuleDraft, ruleDraft } from './rule-draft.ts';

/** A rule as the editor holds it: every field is text, as the owner typed it. */
export type RuleForm = { readonly [Name in (typeof FORM_FIELDS)[number]]: string };

export const FORM_FIELDS = [
  'tool',
  'machine',
  'effect',
  'kind',
  'fields',
  'regex',
  'command',
  'options',
  'operands',
  'endings',
  'others',
  'root',
  'days',
  'uses',
  'note',
  'must',
  'mustNot',
] as const;

type FormField = (typeof FORM_FIELDS)[number];

/** The problems, each at the field where the owner can correct it. */
export type FormProblems = Partial<Record<FormField, string>>;

const DAY = 86_400_000;

/** Reads the typed text as a rule. It checks only the form. Later checks judge the meaning. */
export function draftIn(form: RuleForm, now: number): { draft: RuleDraft } | { problems: FormProblems } {
  const problems: FormProblems = {};
  const days = Number(form.days);
  if (!(form.days.trim() !== '' && days >= 0 && days <= 366))
    problems.days = 'Give a number of days, 365 at most.';
  const match = matchIn(form, problems);
  const read = ruleDraft.safeParse({
    tool: form.tool.trim(),
    machine: form.machine.trim() || null,
    effect: form.effect,
    match,
    expiresAt: problems.days ? now : Math.round(now + days * DAY),
    maxUses: form.uses.trim() === '' ? null : Number(form.uses),
    note: form.note,
    examples: { must: linesOf(form.must), mustNot: linesOf(form.mustNot) },
  });
  if (!read.success) {
    for (const { path, message } of read.error.issues) problems[fieldOfPath(path)] ??= `${message}.`;
  }
  return read.success && Object.keys(problems).length === 0 ? { draft: read.data } : { problems };
}

function matchIn(form: RuleForm, problems: FormProblems): unknown {
  const fieldsIn = (name: 'fields' | 'others') => {
    const read = readFields(form[name]);
    if ('problem' in read) problems[name] = read.problem;
    return 'problem' in read ? {} : read.fields;
  };
  switch (form.kind) {
    case 'arguments':
      return { kind: 'arguments', fields: fieldsIn('fields') };
    case 'json':
      return { kind: 'json', regex: form.regex };
    case 'argv': {
      const parsed = form.command.trim() === '' ? { argv: [] } : parseCommand(form.command);
      if ('problem' in parsed) problems.command = parsed.problem;
      const options = form.options.split(/\s+/).filter(Boolean);
      const argv = 'argv' in parsed ? parsed.argv : [];
      const endings =
        form.endings.trim() === ''
          ? {}
          : { endings: form.endings.trim() === '*' ? 'any' : linesOf(form.endings) };
      const operands = form.operands || 'none';
      return { kind: 'argv', argv, options, operands, ...endings, fields: fieldsIn('others') };
    }
    case 'tool':
      return { kind: 'tool', root: form.root.trim() || null };
    default:
      return { kind: form.kind };
  }
}

/**
 * Reads one argument a line: `name = value` for exactly that value (JSON, or a word), `name ~ pattern` for a
 * text that the regex matches whole, `name *` for anything.
 */
export function readFields(text: string): { fields: FieldMatches } | { problem: string } {
  const fields: Record<string, FieldMatch> = {};
  for (const line of linesOf(text)) {
    const [, name = '', sign = '', rest = ''] = /^([^\s=~*]+)\s*([=~*])\s*(.*)$/.exec(line) ?? [];
    if (name === '' || (sign === '*' && rest !== '')) {
      return { problem: `“${line.slice(0, 80)}” is not “name = value”, “name ~ pattern” or “name *”.` };
    }
    if (Object.hasOwn(fields, name)) return { problem: `“${name.slice(0, 80)}” stands there twice.` };
    const match =
      sign === '*' ? { any: true as const } : sign === '~' ? { regex: rest } : { equals: valueIn(rest) };
    Object.defineProperty(fields, name, { value: match, enumerable: true });
  }
  return { fields };
}

/** Writes matches as the lines that `readFields` reads. */
export function writeFields(fields: FieldMatches): string {
  return Object.entries(fields)
    .map(([name, match]) => {
      if ('any' in match) return `${name} *`;
      return 'regex' in match ? `${name} ~ ${match.regex}` : `${name} = ${canonicalJson(match.equals)}`;
    })
    .join('\n');
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so it is a word: a text without its quotes.
    return text;
  }
}

/** Fills the editor's form from a rule. */
export function formOfDraft(draft: Draft, now: number): RuleForm {
  const { match } = draft;
  return {
    ...EMPTY_FORM,
    tool: draft.tool,
    machine: draft.machine ?? '',
    effect: draft.effect,
    kind: match.kind,
    fields: match.kind === 'arguments' ? writeFields(match.fields) : '',
    regex: match.kind === 'json' ? match.regex : '',
    command: match.kind === 'argv' ? match.argv.map((word) => asTyped(word) ?? word).join(' ') : '',
    options: match.kind === 'argv' ? match.options.join(' ') : '',
    operands: match.kind === 'argv' ? match.operands : 'none',
    endings: match.kind === 'argv' ? endingsIn(match.endings) : '',
    others: match.kind === 'argv' ? writeFields(match.fields) : '',
    root: match.kind === 'tool' ? (match.root ?? '') : '',
    days: String(Math.max(1, Math.round((draft.expiresAt - now) / DAY))),
    uses: draft.maxUses === null ? '' : String(draft.maxUses),
    note: draft.note,
    must: draft.examples.must.join('\n'),
    mustNot: draft.examples.mustNot.join('\n'),
  };
}

export const EMPTY_FORM: RuleForm = {
  tool: '',
  machine: '',
  effect: 'allow',
  kind: 'arguments',
  fields: '',
  regex: '',
  command: '',
  options: '',
  operands: 'none',
  endings: '',
  others: '',
  root: '',
  days: '30',
  uses: '',
  note: '',
  must: '',
  mustNot: '',
};

/** Puts each problem of a rule's meaning at the field that it is about. */
export function problemsAt(problems: readonly RuleProblem[], kind: string): FormProblems {
  const found: FormProblems = {};
  for (const { code, message, suggestion } of problems) {
    const field = FIELD_OF[code] ?? FIELD_OF_KIND[kind] ?? 'kind';
    found[field] = [found[field], message, suggestion].filter(Boolean).join(' ');
  }
  return found;
}

const FIELD_OF: Readonly<Record<string, FormField>> = {
  unknown_tool: 'tool',
  not_a_terminal: 'kind',
  allows_anything: 'kind',
  terminal_needs_argv: 'kind',
  expired: 'days',
  expires_too_late: 'days',
  bad_max_uses: 'uses',
  no_wears_out: 'uses',
  narrowed_no: 'options',
  bad_ending: 'endings',
  tool_is_a_yes: 'kind',
  no_example: 'must',
  bad_example: 'must',
  example_not_matched: 'must',
  no_counterexample: 'mustNot',
  counterexample_matched: 'mustNot',
};

const FIELD_OF_KIND: Readonly<Record<string, FormField>> = {
  arguments: 'fields',
  json: 'regex',
  argv: 'command',
};

function fieldOfPath([first, second]: readonly PropertyKey[]): FormField {
  if (first === 'expiresAt') return 'days';
  if (first === 'maxUses') return 'uses';
  if (first === 'examples') return second === 'mustNot' ? 'mustNot' : 'must';
  if (first === 'tool' || first === 'machine' || first === 'effect' || first === 'note') return first;
  if (
    second === 'options' ||
    second === 'operands' ||
    second === 'regex' ||
    second === 'endings' ||
    second === 'root'
  )
    return second;
  return second === 'argv' ? 'command' : 'kind';
}

function endingsIn(endings: 'any' | readonly string[] = []): string {
  return endings === 'any' ? '*' : endings.join('\n');
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
