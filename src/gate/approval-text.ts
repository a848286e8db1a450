import { canonicalJson } from '../core/json.ts';
import { visibleLine } from '../core/visible.ts';
import { isJoinedName } from '../joined/names.ts';
import { TERMINAL_TOOL } from './rules/rule.ts';
import { isLasting } from './rules/rule-kin.ts';

/** The facts that the person who decides has to see. */
export interface ApprovalSubject {
  /** The wire name. */
  readonly tool: string;
  readonly machine: string | null;
  /** The open folder that it works in, if there is one. */
  readonly root: string | null;
  readonly risk: string;
  /** The parsed arguments, with defaults. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** An approval in words: the question, and the whole of it. */
interface ApprovalText {
  readonly text: string;
  readonly full: string;
}

type Shown = readonly [name: string, value: string];

/**
 * Writes the question for the owner. It hides nothing that a caller wrote, and none of that can look like a
 * line of the question.
 */
export function approvalText(subject: ApprovalSubject): ApprovalText {
  const { tool, args } = subject;
  // `repeat` is false in nearly every call, and then it says nothing.
  const isIdle = (name: string) => name === 'repeat' && args.repeat === false && !isJoinedName(tool);
  const entries = Object.entries(args).sort(([a], [b]) => CONTENT.indexOf(a) - CONTENT.indexOf(b));
  const folded = entries
    .filter(([name]) => !isIdle(name))
    .map(([name, value]): Shown => [name, isLasting(tool) ? shown(value) : folds(name, value)]);
  const whole = entries.map(([name, value]): Shown => [name, shown(value)]);
  return {
    text: question(subject, folded),
    full: [...placeLines(subject), question(subject, whole)].join('\n'),
  };
}

/** Gives the words that ask for an answer at the end of a question. */
export const promptFor = (answers: readonly string[]): string => `Approve? (${answers.join('/')}):`;

/** The end of every question, with an empty line before it. Whoever offers other answers writes an end of its own. */
const PROMPT = `\n\n${promptFor(['y', 'n', 'always'])}`;

/** Gives a question without the words that ask for an answer. */
export function withoutPrompt(text: string): string {
  return text.endsWith(PROMPT) ? text.slice(0, -PROMPT.length) : text;
}

function placeLines({ machine, root }: ApprovalSubject): string[] {
  const lines = { Machine: machine, Folder: root };
  return Object.entries(lines).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${visibleLine(value)}`],
  );
}

function question({ tool, args, risk }: ApprovalSubject, parameters: readonly Shown[]): string {
  const lines = [
    `Tool: ${visibleLine(tool)}`,
    parameters.length > 0 ? 'Parameters:' : 'Parameters: (none)',
    ...parameters.map(([name, value]) => `  ${visibleLine(name)}: ${value}`),
    `Files affected: ${risk === 'read_only' ? '(none)' : filesOf(tool, args)}`,
    `Risk level: ${risk}`,
  ];
  return `${lines.join('\n')}${PROMPT}`;
}

/** Names the files that the tool itself would touch, as far as its arguments tell. */
function filesOf(tool: string, { path, file }: ApprovalSubject['args']): string {
  if (tool === TERMINAL_TOOL || isLasting(tool) || isJoinedName(tool)) return '(not known)';
  const named = path ?? file;
  return typeof named === 'string' ? word(named) : '(none)';
}

/**
 * Arguments with content of files. They come last, in this order, because people look at them separately or
 * never.
 */
const CONTENT = ['content', 'old_string', 'new_string', 'entry'];

/** About ten lines of a terminal. */
const MAX_SHOWN_CHARS = 800;

/** Shows a value. Folds content and long values, but never a command, because the owner decides about that. */
function folds(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  const isContent = CONTENT.includes(name) && typeof value === 'string';
  if (!isContent && (name === 'command' || text.length <= MAX_SHOWN_CHARS)) return shown(value);
  const bytes = new TextEncoder().encode(text).length;
  return `<${bytes} ${bytes === 1 ? 'byte' : 'bytes'}>`;
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return visibleLine(canonicalJson(value));
  const lines = value.split('\n');
  // Put a bar before each line, so that no line of a value can look like a line of the question.
  return lines.length > 1
    ? ['', ...lines.map((line) => `    | ${visibleLine(line)}`)].join('\n')
    : word(value);
}

/**
 * Gives a text as it is, unless it could look like something else: a folded value, a number, nothing at all.
 */
function word(text: string): string {
  return text.trim() !== text || /^(?:[<"[{].*|-?\d.*|true|false|null|)$/.test(text)
    ? visibleLine(JSON.stringify(text))
    : visibleLine(text);
}
