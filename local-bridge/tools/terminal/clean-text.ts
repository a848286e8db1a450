import { redact } from '../../../src/core/redact.ts';
import type { Captured } from './capture.ts';

/**
 * Sequences that control a terminal, with their content: strings (OSC, DCS, APC, PM, SOS) up to their end, control
 * sequences (CSI), and the short ones. An unfinished one takes the rest of its line.
 */
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** Control characters except tab and newline, and characters that reorder or hide what a person reads. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Bold and underlined letters as manual pages print them: letter, backspace, letter. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a backspace is what it looks for.
const STRUCK_OVER = /[^\n]\u0008/gu;

/**
 * Gives the text as a person would have seen it: without control sequences and invisible characters, and with only
 * the last state of a line that was rewritten in place.
 */
export function plainText(text: string): string {
  const unsteered = text.replace(STEERING, '');
  const settled = unsteered.includes('\r') ? unsteered.split('\n').map(lastState).join('\n') : unsteered;
  return settled.replaceAll(STRUCK_OVER, '').replaceAll(UNSEEN, '');
}

/**
 * Gives a line's last state. It works line by line, because one pattern for all lines would read a long line again
 * for each of its characters.
 */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  const shown = line.slice(0, end);
  return shown.slice(shown.lastIndexOf('\r') + 1);
}

/** Gives a stream as text: decoded, plain, without secrets, and with a line that says how much is missing. */
export function capturedText({ head, tail, missing }: Captured): string {
  if (missing === 0) return safe(decode(head));
  const first = safe(untilSafeEnd(decode(head)));
  const last = safe(fromSafeStart(decode(tail)));
  const note = `[… ${missing.toLocaleString('en-US')} bytes or more left out here …]`;
  return `${first}${first.endsWith('\n') || first === '' ? '' : '\n'}${note}\n${last}`;
}

/** Makes text safe to leave the machine. */
export function safe(text: string): string {
  return redact(plainText(text));
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/**
 * The longest piece to drop at a cut. A cut may split a secret, and no pattern knows its half, so the piece of a line
 * or word there goes too.
 */
const WORD_ROOM = 4_096;

function untilSafeEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  if (end >= 0 && text.length - end <= WORD_ROOM) return text.slice(0, end + 1);
  return (
    text.slice(0, Math.max(0, text.length - WORD_ROOM)) +
    text.slice(-WORD_ROOM).replace(/(?<!\S)\S{0,4096}$/, '')
  );
}

function fromSafeStart(cut: string): string {
  const text = withoutKeyEnd(cut);
  const end = text.indexOf('\n');
  if (end >= 0 && end < WORD_ROOM) return text.slice(end + 1);
  return text.slice(0, WORD_ROOM).replace(/^\S*/, '') + text.slice(WORD_ROOM);
}

/** Removes the rest of a private key whose beginning is missing, because nothing else shows that it is a key. */
function withoutKeyEnd(text: string): string {
  const [first] = /-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,8}-----/.exec(text) ?? [];
  return first?.startsWith('-----END') ? text.slice(text.indexOf(first) + first.length) : text;
}
