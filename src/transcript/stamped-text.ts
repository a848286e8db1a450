import { type Cue, secondsOf, TIME } from './cue.ts';

const CLOCK = String.raw`${TIME}(?:\s?[AaPp]\.?[Mm]\.?)?`;
/** `[00:01:02] text` or `(1:02) text`, with or without a second time. */
const BRACKETED = new RegExp(
  String.raw`^\s*[\[(](${CLOCK})(?:\s*(?:-{1,2}>?|–)\s*${CLOCK})?[\])]\s*[-–—:]?\s*(.*)$`,
);
/** `0:05 text`, or the time alone. */
const BARE = new RegExp(
  String.raw`^\s*(${CLOCK})(?:\s*(?:-{1,2}>?|[–—])\s*${CLOCK})?(?:\s*[-–—:|]\s+|\s+|$)(.*)$`,
);
/** `Ada Lovelace  0:05`, `Ada (00:05):`, `[Ada] 10:01:02`: the speaker from then on. */
const HEADER = new RegExp(
  String.raw`^\s*(?:\[([^\]\n]{1,60})\]|([\p{L}][^:\[\]()\n]{0,60}?))\s*[\s,|]\s*[\[(]?(${CLOCK})[\])]?\s*(?:(:)\s*(.*))?$`,
  'u',
);

interface Line {
  readonly time: number;
  readonly speaker?: string;
  readonly text: string;
}

/** Reads transcripts whose lines or turns begin with one time; `undefined` for any other text. */
export function readStampedText(lines: readonly string[]): Cue[] | undefined {
  const reader = [bracketedAt, headerAt, aloneAt, bareAt].find((at) => fits(lines, at));
  if (!reader) return undefined;
  const cues: Cue[] = [];
  let open: { start?: number; speaker?: string; lines: string[] } = { lines: [] };
  const close = () => {
    if (open.lines.length > 0) cues.push(open);
  };
  lines.forEach((line, i) => {
    const stamp = reader(lines, i);
    if (stamp) {
      close();
      const { time, speaker, text } = stamp;
      open = { start: time, lines: text === '' ? [] : [text], ...(speaker ? { speaker } : {}) };
    } else if (line.trim() !== '') open.lines.push(line.trim());
  });
  close();
  return cues;
}

type At = (lines: readonly string[], i: number) => Line | undefined;

/**
 * Tells whether a text has this form. One time in brackets is enough; any other time may have been spoken.
 */
function fits(lines: readonly string[], at: At): boolean {
  const full = lines.filter((line) => !isBlank(line)).length;
  let found = 0;
  let last = -1;
  for (let i = 0; i < lines.length; i++) {
    const stamp = at(lines, i);
    if (!stamp) continue;
    if (at !== bracketedAt && stamp.time < last) return false;
    last = stamp.time;
    found += 1;
  }
  if (at === bracketedAt) return found >= 1;
  const first = lines.findIndex((line) => !isBlank(line));
  return found >= 2 && (at === headerAt || (found * 3 >= full && at(lines, first) !== undefined));
}

const bracketedAt: At = (lines, i) => {
  const match = BRACKETED.exec(lines[i] ?? '');
  return match ? { time: timeOf(match[1]), text: (match[2] ?? '').trim() } : undefined;
};

const headerAt: At = (lines, i) => {
  const match = HEADER.exec(lines[i] ?? '');
  if (!match) return undefined;
  const [, boxed, named, time, colon, rest = ''] = match;
  const text = rest.trim();
  // A line without text of its own is a heading if a line follows right below it and none stands right above.
  const isHeading = isBlank(lines[i - 1]) && !isBlank(lines[i + 1]);
  if (colon === undefined && !isHeading) return undefined;
  return { time: timeOf(time), speaker: (boxed ?? named ?? '').trim(), text };
};

/** If times have lines of their own, a time at the beginning of another line was spoken. */
const aloneAt: At = (lines, i) => {
  const stamp = bareAt(lines, i);
  return stamp?.text === '' ? stamp : undefined;
};

const bareAt: At = (lines, i) => {
  const match = BARE.exec(lines[i] ?? '');
  return match ? { time: timeOf(match[1]), text: (match[2] ?? '').trim() } : undefined;
};

function timeOf(clock = ''): number {
  const time = secondsOf(clock.replace(/[^\d:.,]/g, '').replace(/[.,]$/, ''));
  return /p\.?m/i.test(clock) && time < 12 * 3_600 ? time + 12 * 3_600 : time;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
