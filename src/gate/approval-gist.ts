import type { Preview } from '../../contracts/preview.ts';
import { visible } from '../core/visible.ts';
import type { ShownPreview } from './messages.ts';

interface Looked {
  readonly shown: ShownPreview;
  readonly command: string | null;
}

/** The lines that show what a call would do. */
interface GistText {
  readonly text: string;
  /** True if each line begins with the sign of a diff. */
  readonly isDiff: boolean;
}

/** Gives the preview of a call. Gives nothing if nobody could make one. */
export function previewOf({ shown }: Pick<Looked, 'shown'>): Preview | undefined {
  return 'preview' in shown ? shown.preview : undefined;
}

/** Shows what a call would do in lines: its diff, or its command. */
export function gistOf(approval: Looked): GistText | undefined {
  const { diff, files } = previewOf(approval) ?? {};
  // The sentence names the file already, and on a phone each line counts.
  const lines = files?.length === 1 ? diff?.replace(/^--- .*\n\+\+\+ .*\n/, '') : diff;
  if (lines) return { text: lines, isDiff: true };
  return approval.command === null ? undefined : { text: approval.command, isDiff: false };
}

/** Splits a text that strangers wrote into safe lines. */
export function linesOf(text: string): string[] {
  return visible(text).replace(/\n$/, '').split('\n');
}
