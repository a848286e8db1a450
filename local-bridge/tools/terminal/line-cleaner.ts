import { plainText } from './clean-text.ts';
import { HIDDEN_KEY, KEY_BEGINS, KEY_ENDS } from './private-keys.ts';

/** The length at which to stop waiting for a line's end. */
const LINE_CHARS = 8_192;

/** Cuts a stream into whole lines as a person would have seen them, without private keys, which have many lines. */
interface LineCleaner {
  /** Takes bytes, and gives the lines that they complete. They still need `safe`. */
  take(chunk: Buffer): string;
  /** Gives the line that has no end yet, as it came. Empty while it may be part of a private key. */
  unfinished(): string;
}

/** Opens a cleaner. `leftOut` stands in the place of a line that is too long: a piece of it might be half of a secret. */
export function openLineCleaner(leftOut = ''): LineCleaner {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = '';
  let inKey = false;
  let isHiding = false;
  let skipping = false;

  const cleaned = (raw: string): string => {
    const line = plainText(raw);
    if (KEY_BEGINS.test(line)) inKey = true;
    const hidden = inKey;
    if (KEY_ENDS.test(line)) inKey = false;
    const isFirst = hidden && !isHiding;
    isHiding = hidden;
    if (!hidden) return line;
    return isFirst ? `${HIDDEN_KEY}\n` : '';
  };
  return {
    take: (chunk) => {
      const text = open + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      let ready = '';
      for (const line of text.slice(0, end).split(/(?<=\n)/)) {
        if (line !== '' && !skipping) ready += line.length <= LINE_CHARS ? cleaned(line) : leftOut;
        if (line !== '') skipping = false;
      }
      open = text.slice(end);
      if (open.length > LINE_CHARS) {
        if (!skipping) ready += leftOut;
        skipping = true;
        open = '';
      }
      return ready;
    },
    unfinished: () => (inKey || skipping ? '' : open),
  };
}
