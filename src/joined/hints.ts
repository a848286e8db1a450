import type { Risk } from '../../contracts/contract.ts';
import { isRecord } from '../core/is-record.ts';

/** What a server says of the harm that a tool can do. Nobody vouches for it, so nothing follows from it by itself. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

/** Reads the hints in a tool's annotations; `undefined` if there is none. */
export function hintsIn(annotations: unknown): ToolHints | undefined {
  if (!isRecord(annotations)) return undefined;
  const { readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: openWorld } = annotations;
  const said = Object.entries({ readOnly, destructive, openWorld });
  const hints = Object.fromEntries(said.filter(([, value]) => typeof value === 'boolean'));
  return Object.keys(hints).length > 0 ? hints : undefined;
}

/** Writes hints as their server says them, for the list of another Bowline. */
export function annotationsOf({ readOnly, destructive, openWorld }: ToolHints): Record<string, unknown> {
  return {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
}

/**
 * Gives the grade that hints propose. What reads from the outside is no mere reading: its arguments can carry data out of
 * the house.
 */
export function proposedBy({ readOnly, destructive, openWorld }: ToolHints): Risk {
  if (openWorld === true) return 'dangerous';
  if (readOnly === true) return 'read_only';
  return destructive === false ? 'safe_write' : 'dangerous';
}

/** Says hints in words. */
export function hintWords({ readOnly, destructive, openWorld }: ToolHints): string {
  const words = [
    ...(readOnly === undefined ? [] : [readOnly ? 'only reads' : 'writes']),
    ...(destructive === undefined || readOnly === true
      ? []
      : [destructive ? 'can destroy' : 'destroys nothing']),
    ...(openWorld === undefined ? [] : [openWorld ? 'reaches outside' : 'stays inside']),
  ];
  return words.join(', ');
}
