import { agoIn, leftIn } from '../core/time-words.ts';
import { visibleLine } from '../core/visible.ts';
import { gistOf, linesOf, previewOf } from './approval-gist.ts';
import { type Sentence, sentenceText } from './approval-sentence.ts';
import type { CallView } from './approval-view.ts';
import type { Before, Tally } from './came-before.ts';
import { diffLines } from './diff-lines.ts';
import { foldLine } from './fold-line.ts';
import { MAX_NOTE_CHARS } from './messages.ts';

/** The subject of a line, for a terminal with colours. */
export type Tone = 'question' | 'added' | 'removed' | 'hunk' | 'unusual' | 'quiet';

/** The terminal that shows the lines. */
export interface Screen {
  /** Its width, or `undefined` where nothing wraps. */
  readonly columns: number | undefined;
  readonly paint: (tone: Tone, text: string) => string;
  readonly now: number;
}

/** One width of "always": what it would allow, or why it is not available. */
type Offer = { readonly width: string } & (
  | { readonly words: string; readonly checked: number; readonly passed: number; readonly denied: number }
  | { readonly problem: string }
);

/** A waiting call, as far as a terminal shows it above the question. */
export interface WaitingCall extends Pick<CallView, 'command' | 'reason' | 'shown'> {
  readonly sentence: Sentence;
  /** The gate's approval. A machine's own question has none. */
  readonly approval?: {
    readonly code: string;
    readonly expiresAt: number;
    readonly state: string;
    /** The owner's sentence with a no. */
    readonly note?: string | null;
    readonly before?: Before | null;
    /** The widths of "always" that are possible. */
    readonly always?: readonly Offer[];
    /** The lasting terminal that can be lent with it. */
    readonly lends?: string | null;
  };
}

/** The length of what is shown: all, or as much as keeps the question in view, with a hint how to see the rest. */
export type Length = 'whole' | { readonly seeAll: string };

type Line = readonly [text: string, tone?: Tone];

/** The most lines that a terminal shows above the question. */
const MAX_LINES = 30;
const MAX_CHARS = 4_000;
const MAX_FILES = 10;

/**
 * Shows a waiting call in a terminal. No text of a stranger can control the terminal, hide, or look like our
 * own line.
 */
export function approvalLines(call: WaitingCall, length: Length, screen: Screen): string {
  return painted(
    [
      [sentenceText(linedUp(call.sentence)), 'question'],
      ...reasonLines(call.reason),
      ...gistLines(call, length),
      ...lookedLines(call, length),
      ...approvalFacts(call, length, screen.now),
    ],
    screen,
  );
}

/** Gives the question in one sentence, for the same terminal. */
export function sentenceLine({ sentence }: Pick<WaitingCall, 'sentence'>, screen: Screen): string {
  return painted([[sentenceText(linedUp(sentence)), 'question']], screen);
}

/** Folds a text of several lines for the same terminal: the question, or all arguments in full. */
export function foldedText(text: string, screen: Pick<Screen, 'columns'>): string {
  return painted(
    linesOf(text).map((line): Line => [line]),
    { ...screen, paint: (_, line) => line, now: 0 },
  );
}

function painted(lines: readonly Line[], { columns, paint }: Screen): string {
  return lines
    .flatMap(([text, tone]) =>
      foldLine(text, columns).map((piece) => (tone === undefined ? piece : paint(tone, piece))),
    )
    .join('\n');
}

/** Escapes invisible characters again, because this terminal does not trust the gate to have done it. */
function linedUp({ who, does, what, where }: Sentence): Sentence {
  const [shownWho, shownDoes, shownWhat, shownWhere] = [who, does, what, where].map((part) =>
    visibleLine(part, 300),
  );
  return { who: shownWho ?? '', does: shownDoes ?? '', what: shownWhat ?? '', where: shownWhere ?? '' };
}

function reasonLines(reason: string | null): Line[] {
  return reason === null ? [] : [[`Its reason: ${quoted(reason)}`]];
}

function quoted(text: string): string {
  // Escape quotation marks, so that none in the note can end it.
  return `"${visibleLine(text, MAX_NOTE_CHARS).replaceAll('"', '\\"')}"`;
}

function gistLines(call: WaitingCall, length: Length): Line[] {
  const gist = gistOf(call);
  if (!gist) return [];
  const all = linesOf(gist.text);
  const shown = length === 'whole' ? all : beginning(all);
  const tones = gist.isDiff ? diffLines(all) : [];
  const lines = shown.map((line, at): Line => {
    const tone = tones[at];
    return tone === undefined ? [`  | ${line}`] : [`  | ${line}`, tone];
  });
  if (length === 'whole') return lines;
  const missing = all.length - shown.length;
  const isCut = missing > 0 || shown.at(-1) !== all[shown.length - 1];
  const left = missing > 0 ? counted(missing, 'more line') : 'the rest of that line';
  return isCut ? [...lines, [`  … ${left}; ${length.seeAll}`, 'unusual']] : lines;
}

/** Gives as many lines from the start as fit, and cuts the last one if necessary. */
function beginning(lines: readonly string[]): readonly string[] {
  const fit: string[] = [];
  let room = MAX_CHARS;
  for (const line of lines.slice(0, MAX_LINES)) {
    fit.push(line.length <= room ? line : `${line.slice(0, room).toWellFormed()}…`);
    room -= line.length;
    if (room <= 0) break;
  }
  return fit;
}

/** Shows the preview: unusual things first, then the files, and the rest only if all is shown. */
function lookedLines(call: WaitingCall, length: Length): Line[] {
  const preview = previewOf(call);
  if (!preview) {
    return 'why' in call.shown ? [[`No preview. ${visibleLine(call.shown.why, 300)}`]] : [];
  }
  const fact = (text: string) => visibleLine(text, 1_000);
  const unusual = preview.facts.filter((one) => one.unusual);
  const usual = length === 'whole' ? preview.facts.filter((one) => !one.unusual) : [];
  return [
    ...unusual.map(({ text }): Line => [`! ${fact(text)}`, 'unusual']),
    ...filesLine(preview.files, length),
    ...usual.map(({ text }): Line => [`- ${fact(text)}`]),
  ];
}

function filesLine(
  files: readonly { readonly path: string; readonly change: string }[] | null,
  length: Length,
): Line[] {
  if (files === null || files.length === 0) return [];
  const shown = length === 'whole' ? files : files.slice(0, MAX_FILES);
  const named = shown.map(({ path, change }) => `${visibleLine(change, 20)} ${visibleLine(path, 300)}`);
  const missing = files.length - shown.length;
  return [[`It would: ${named.join(', ')}${missing > 0 ? `, and ${missing} more` : ''}`]];
}

function approvalFacts(call: WaitingCall, length: Length, now: number): Line[] {
  const { approval } = call;
  if (!approval) return [];
  const { code, state, expiresAt, before, always = [], note } = approval;
  const standing = state === 'pending' ? leftIn(expiresAt - now) : visibleLine(state, 20);
  return [
    ...(before ? beforeLines(before, now) : []),
    ...(length === 'whole' ? always.map(widthLine) : always.slice(0, 1).map(alwaysLine)),
    ...lendLines(call),
    ...(note ? ([[`You said: ${quoted(note)}`]] as const) : []),
    [`${visibleLine(code, 20)} · ${standing}`, 'quiet'],
  ];
}

function beforeLines({ same, like }: Before, now: number): Line[] {
  const first = same
    ? `This exact call was made before: ${tallyText(same, now)}`
    : 'This exact call was never made before.';
  return [
    [first, 'quiet'],
    ...(like
      ? ([[`Other calls of \`${visibleLine(like.what, 80)}\`: ${tallyText(like, now)}`, 'quiet']] as const)
      : []),
  ];
}

function tallyText({ times, ok, last }: Tally, now: number): string {
  const count = times === 1 ? 'once' : `${times} times, ${ok} of them ok`;
  return `${count}; the last ${agoIn(now - last.at)}: ${visibleLine(last.ended, 80)}.`;
}

/** Describes what `always` means at a prompt: the narrowest rule, for 30 days. */
function alwaysLine(offer: Offer): Line {
  return 'words' in offer
    ? [`“always” allows this for 30 days: ${visibleLine(offer.words, 600)}`]
    : [`“always” isn’t available here. ${visibleLine(offer.problem, 600)}`];
}

function widthLine(offer: Offer): Line {
  const name = `“always” (${visibleLine(offer.width, 20)})`;
  if (!('words' in offer)) return [`${name} isn’t available. ${visibleLine(offer.problem, 600)}`];
  const { words, checked, passed, denied } = offer;
  const past = `${passed} of the last ${counted(checked, 'call')}${denied > 0 ? `, ${denied} of them denied` : ''}`;
  return [`${name} allows: ${visibleLine(words, 600)} (so far, ${past})`];
}

/** Describes what `lend` means, if the terminal of a waiting call can be lent. */
function lendLines(call: WaitingCall): Line[] {
  const { sentence, approval } = call;
  if (!approval?.lends || approval.state !== 'pending') return [];
  const [who, session] = [visibleLine(sentence.who, 60), visibleLine(approval.lends, 40)];
  const said = `“lend” allows this, and for an hour whatever ${who} types into '${session}': commands, keys, answers to programs. What waits for it now runs as well. Your rules that deny or ask still hold.`;
  return previewOf(call)?.sandboxed === true
    ? [[said]]
    : [[said], ['! That terminal runs without a sandbox, with all rights of your user.', 'unusual']];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
