import * as z from 'zod';
import { redactValue } from '../core/redact.ts';

/** The most that the ledger keeps of the files of one call. */
const MAX_FILES = 200;
const MAX_CHARS = 4_000;

const affectedShape = z.looseObject({ files_affected: z.array(z.string()).min(1) });

/**
 * Gives the files that a tool's answer names as affected, as the ledger keeps them: the first ones, and how many there
 * are. Gives `undefined` if it names none.
 */
export function affectedFiles(output: unknown): string | undefined {
  const named = affectedShape.safeParse(output).data?.files_affected;
  if (!named) return undefined;
  const files = named.slice(0, MAX_FILES).map((path) => String(redactValue(path)));
  while (JSON.stringify(files).length > MAX_CHARS && files.length > 1)
    files.length = Math.ceil(files.length / 2);
  return JSON.stringify({ files, filesTotal: named.length });
}
