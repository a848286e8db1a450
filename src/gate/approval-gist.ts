import type { Preview } from '../../contracts/preview.ts';
import { visible } from '../core/visible.ts';
import type { ShownPreview } from './messages.ts';

interface Looked {
  readonly shown: ShownPreview;
  readonly command: string | null;
}

/** The lines of what a call would do. */
export interface GistText {
  readonly text: string;
  /** Whether each line begins with the sign of a diff. */
  readonly isDiff: boolean;
}

/** What a call would do, as somebody saw it who looked; nothing if nobody could. */
export function previewOf({ shown }: Pick<Looked, 'shown'>): Preview | undefined {
  return 'preview' in shown ? shown.preview : undefined;
}

/** What a call would do in lines: its diff, or its command. */
export function gistOf(approval: Looked): GistText | undefined {
  const { diff, files } = previewOf(approval) ?? {};
  // The sentence names the file already, and on a phone each line counts.
  const lines = files?.length === 1 ? diff?.replace(/^--- .*\n\+\+\+ .*\n/, '') : diff;
  if (lines) return { text: lines, isDiff: true };
  return approval.command === null ? undefined : { text: approval.command, isDiff: false };
}

/** A text that strangers wrote, line by line. */
export function linesOf(text: string): string[] {
  return visible(text).replace(/\n$/, '').split('\n');
}

/** The question as it is put in a terminal, less the words that ask for a letter to be typed. */
export function withoutPrompt(text: string): string {
  return text.replace(/\n\nApprove\? \(y\/n\/always\):$/, '');
}
