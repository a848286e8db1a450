import { safe } from './clean-text.ts';
import { openLineCleaner } from './line-cleaner.ts';

/** The shortest time between two reports about a running command. */
const REPORT_EVERY_MS = 250;
/** The most characters in one report. */
const REPORT_CHARS = 4_096;

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
  const lines = openLineCleaner();
  let ready = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    timer = undefined;
    const text = safe(ready);
    ready = '';
    if (text !== '') report(text.slice(-REPORT_CHARS), bytes);
  };
  return {
    take: (chunk) => {
      bytes += chunk.length;
      ready += lines.take(chunk);
      if (ready.length > 4 * REPORT_CHARS) ready = lastLines(ready);
      if (ready !== '') timer ??= setTimeout(tell, everyMs);
    },
    close: () => {
      clearTimeout(timer);
      ready = '';
    },
  };
}

function lastLines(text: string): string {
  const recent = text.slice(-4 * REPORT_CHARS);
  return recent.slice(recent.indexOf('\n') + 1);
}
