import { redact } from '../core/redact.ts';
import { visible } from '../core/visible.ts';

/** What the owner is told. The body is a short summary: it holds no secret, nor the arguments themselves. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** Where a tap leads. */
  readonly url: string;
  /** A newer notice of the same tag takes the place of an older one. */
  readonly tag: string;
}

/** A text as it may leave for a phone, whoever wrote it: no secrets, nothing that looks like something it is not. */
export function readable(text: string): string {
  return visible(redact(text).toWellFormed());
}

/** The longest beginning of a text that fits into `room` bytes of JSON, ended between characters and by “…”. */
export function shorten(text: string, room: number): string {
  if (jsonBytes(text) <= room) return text;
  let used = Buffer.byteLength(CUT);
  let end = 0;
  for (const char of text) {
    used += jsonBytes(char);
    if (used > room) break;
    end += char.length;
  }
  return text.slice(0, end) + CUT;
}

/**
 * A text as a header can carry it: as it is if it is plain ASCII, else in the encoded words of RFC 2047,
 * which leave no line end or foreign letter in the header.
 */
export function headerText(text: string): string {
  // Whoever reads the header would take `=?` for the beginning of an encoded word.
  if (/^[ -~]*$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [];
  let word = '';
  for (const char of text) {
    if (Buffer.byteLength(word + char) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += char;
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ');
}

const CUT = '…';

/** What makes, in base64 and its frame, a word of at most the 75 characters that the RFC allows. */
const WORD_BYTES = 45;

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - '""'.length;
}
