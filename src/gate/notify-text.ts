import { redact } from '../core/redact.ts';
import { visible } from '../core/visible.ts';

/** Makes a text safe to send to a phone: no secrets, and nothing that looks like something else. */
export function readable(text: string): string {
  return visible(redact(text).toWellFormed());
}

/** Gives the longest beginning that fits into `room` bytes of JSON. Cuts between characters and adds “…”. */
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
 * Encodes a text for a header: unchanged if it is plain ASCII, else as encoded words of RFC 2047, which keep
 * line ends and foreign letters out of the header.
 */
export function headerText(text: string): string {
  // A reader would take `=?` for the beginning of an encoded word.
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

/**
 * This many bytes, in base64 with its frame, fill a word of at most the 75 characters that the RFC allows.
 */
const WORD_BYTES = 45;

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - '""'.length;
}
