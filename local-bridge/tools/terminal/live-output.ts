import { plainText, safe } from './clean-text.ts';

/** The shortest time between two reports about a running command. */
const REPORT_EVERY_MS = 250;
/** The most characters in one report. */
const REPORT_CHARS = 4_096;
/** The length at which to stop waiting for a line's end. */
const LINE_CHARS = 8_192;

/** Reports a command's output while it runs, in whole lines, so that no secret leaves in halves. */
interface LiveOutput {
  take(chunk: Buffer): void;
  /** Stops reporting. The rest is in the answer. */
  close(): void;
}

/** Opens live output. `report` gets the lines since the last report, or the newest if there are too many. */
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
    // A private key has many lines, and a report could end between them.
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
      // Leave out a line that is too long to wait for: a piece of it might be half of a secret.
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
