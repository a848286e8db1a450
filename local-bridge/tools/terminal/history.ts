/** A caller's last command, as the caller may see it again. */
interface LastCommand {
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | null;
  readonly executedAt: Date;
}

/** The most callers remembered, the latest ones. */
export const REMEMBERED = 64;
/** The most characters of output remembered for each. */
export const REMEMBERED_CHARS = 65_536;

/** Remembers one command per principal, in memory only. A restarted bridge knows none. */
export interface History {
  record(principal: string, last: LastCommand): void;
  last(principal: string): LastCommand | undefined;
}

export function openHistory(): History {
  const entries = new Map<string, LastCommand>();
  return {
    record: (principal, last) => {
      entries.delete(principal);
      entries.set(principal, { ...last, output: shortened(last.output) });
      const [oldest] = entries.keys();
      if (entries.size > REMEMBERED && oldest !== undefined) entries.delete(oldest);
    },
    last: (principal) => entries.get(principal),
  };
}

function shortened(output: string): string {
  if (output.length <= REMEMBERED_CHARS) return output;
  const half = REMEMBERED_CHARS / 2;
  const missing = output.length - REMEMBERED_CHARS;
  const note = `\n[… ${missing.toLocaleString('en-US')} characters left out here …]\n`;
  return `${output.slice(0, half)}${note}${output.slice(-half)}`;
}
