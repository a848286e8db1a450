import { plainText, safe } from './clean-text.ts';

/** How often a caller hears of a running command, at most. */
export const REPORT_EVERY_MS = 250;
/** Most characters of one report. */
const REPORT_CHARS = 4_096;
/** A line longer than this is not waited for. */
const LINE_CHARS = 8_192;

/** Tells of a command's output while it runs, in whole lines, so that no secret leaves in halves. */
export interface LiveOutput {
  take(chunk: Buffer): void;
  /** Stops reporting; what is left is in the answer. */
  close(): void;
}

/** `report` is given the lines since the last report: the newest, if they are too many. */
export function openLiveOutput(
  report: (text: string, bytes: number) => void,
  everyMs = REPORT_EVERY_MS,
): LiveOutput {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = '';
  let ready = '';
  let inKey = false;
  let skipping = false;
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    timer = undefined;
    const text = safe(ready);
    ready = '';
    if (text !== '') report(text.slice(-REPORT_CHARS), bytes);
  };
  const takeLine = (raw: string) => {
    const line = plainText(raw);
    // A key is many lines, and reports could part them.
    if (KEY_BEGINS.test(line)) inKey = true;
    const hidden = inKey;
    if (KEY_ENDS.test(line)) inKey = false;
    if (!hidden) ready += line;
    else if (!ready.endsWith(HIDDEN)) ready += HIDDEN;
  };
  return {
    take: (chunk) => {
      bytes += chunk.length;
      const text = open + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      for (const line of text.slice(0, end).split(/(?<=\n)/)) {
        if (line !== '' && !skipping && line.length <= LINE_CHARS) takeLine(line);
        if (line !== '') skipping = false;
      }
      open = text.slice(end);
      // A line too long to wait for is left out whole: a piece of it might be half of a secret.
      if (open.length > LINE_CHARS) {
        skipping = true;
        open = '';
      }
      if (ready.length > 4 * REPORT_CHARS) ready = lastLines(ready);
      if (ready !== '') timer ??= setTimeout(tell, everyMs);
    },
    close: () => {
      clearTimeout(timer);
      ready = '';
    },
  };
}

const HIDDEN = '[redacted:private-key]\n';
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;

function lastLines(text: string): string {
  const recent = text.slice(-4 * REPORT_CHARS);
  return recent.slice(recent.indexOf('\n') + 1);
}
