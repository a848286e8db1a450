import { type Cue, secondsOf, TIME } from './cue.ts';

const TIMING = new RegExp(String.raw`^\s*(${TIME})\s*-{1,2}>\s*(${TIME})(?:\s\w+:\S+)*\s*$`);
/** Words with times of their own, or the screen position that such captions have. */
const ROLLING = new RegExp(`<${TIME}>|-->.* align:start position:0%`);
/** A caption is short. In a very long line, the search for its marks could take hours. */
const MAX_MARKED_CHARS = 1_000;
const VOICE = /(?=<v(?:\.[^\s>]*)?\s)/;
const NAMED = /^<v(?:\.[^\s>]*)?\s+([^<>]+)>/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
};

interface TimedText {
  readonly cues: readonly Cue[];
  /** True if it was made live, with lines that roll up. */
  readonly isLive: boolean;
}

/** Tells whether a text has lines that say from when to when something stays on the screen. */
export function isTimedText(lines: readonly string[]): boolean {
  return lines.some((line) => TIMING.test(line));
}

/** Reads WebVTT, SRT and similar forms: everything with `00:01 --> 00:02` between its texts. */
export function readTimedText(lines: readonly string[]): TimedText {
  const isWebVtt = /^\ufeff?WEBVTT\b/.test(lines[0] ?? '');
  const cues: Cue[] = [];
  let number = 0;
  let at = isWebVtt ? endOfBlock(lines, 0) : 0;
  let text: string[] = [];
  let times: { start: number; end: number } | undefined;
  const close = () => {
    if (times || text.some((line) => line.trim() !== '')) cues.push(...cuesOf(text, times, isWebVtt));
    text = [];
  };
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (
      isWebVtt &&
      /^(?:NOTE|STYLE|REGION)\b/.test(line) &&
      isBlank(lines[at - 1]) &&
      !hasTiming(lines, at)
    ) {
      at = endOfBlock(lines, at);
      continue;
    }
    const timing = TIMING.exec(line);
    if (timing) {
      number = dropName(text, { number, isWebVtt, isFirst: times === undefined });
      close();
      times = { start: secondsOf(timing[1] ?? ''), end: secondsOf(timing[2] ?? '') };
    } else text.push(line);
  }
  close();
  const isLive = lines.some((line) => line.length < MAX_MARKED_CHARS && ROLLING.test(line));
  return { cues: isWebVtt || number > 0 ? cues : namedByFirstLine(cues), isLive };
}

/** Takes the next cue's name or number off the text before it. It stands right before the cue's times. */
function dropName(text: string[], { number, isFirst, isWebVtt }: Before): number {
  const last = text.at(-1)?.trim() ?? '';
  if (last === '') return number;
  // A number right below its own times was spoken; it does not name the next cue.
  const isAlone = text.length === 1 ? isFirst : isBlank(text.at(-2));
  const isNumber = /^\d{1,6}$/.test(last);
  const isNext = text.length > 1 && Number(last) === number + 1;
  if (isNumber ? !isAlone && !isNext : !isAlone || !isWebVtt) return number;
  text.pop();
  return isNumber ? Number(last) : number;
}

interface Before {
  readonly number: number;
  /** True before the first times. */
  readonly isFirst: boolean;
  readonly isWebVtt: boolean;
}

/** Gives the text on the screen at once, as one cue per voice. */
function cuesOf(
  text: readonly string[],
  times: { start: number; end: number } | undefined,
  isWebVtt: boolean,
): Cue[] {
  const voices: { speaker: string; lines: string[] }[] = [{ speaker: '', lines: [] }];
  for (const piece of text.flatMap((line) => line.split(VOICE))) {
    const speaker = plain(NAMED.exec(piece.trim())?.[1] ?? '', isWebVtt);
    const last = voices.at(-1);
    // Text before the first name belongs to that name as well.
    if (speaker && last?.speaker && last.speaker !== speaker) voices.push({ speaker, lines: [] });
    else if (speaker && last) last.speaker = speaker;
    const said = plain(piece, isWebVtt);
    if (said !== '') voices.at(-1)?.lines.push(said);
  }
  return voices.map(({ speaker, lines }) => ({ ...(times ?? {}), lines, ...(speaker ? { speaker } : {}) }));
}

/** Removes a line's mark-up: tags, times of single words, places on the screen. */
function plain(line: string, isWebVtt: boolean): string {
  return line
    .replace(/<\/?(?:[cibuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<\d[\d:.,]*>/gi, '')
    .replace(/\{\\an?\d\}/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39|apos|nbsp|lrm|rlm);/g, (entity) =>
      isWebVtt || entity === '&nbsp;' ? (ENTITIES[entity] ?? entity) : entity,
    )
    .replace(/\s+/g, ' ')
    .trim();
}

/** Finds speakers in exports that write a name as the first line of every cue: few names for many cues. */
function namedByFirstLine(cues: readonly Cue[]): readonly Cue[] {
  const names = cues.map(({ lines }) => (lines.length > 1 ? (lines[0] ?? '') : ''));
  const areNames = names.every((name) => /^\p{L}[^.!?,:;]{0,48}$/u.test(name));
  if (!areNames || new Set(names).size * 2 > cues.length) return cues;
  return cues.map((cue, i) => ({ ...cue, speaker: names[i] ?? '', lines: cue.lines.slice(1) }));
}

function endOfBlock(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && !isBlank(lines[at])) at++;
  return at;
}

function hasTiming(lines: readonly string[], at: number): boolean {
  return TIMING.test(lines[at + 1] ?? '');
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
