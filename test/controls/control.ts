/** One small change of a source file. */
export interface Edit {
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A promise of docs/security.md, the smallest edit that breaks it, and the tests that have to notice. */
export interface Control extends Edit {
  readonly id: string;
  readonly promise: string;
  /** Test files; each of them has to fail without the control. */
  readonly tests: readonly string[];
  /** A pattern of test names, where the whole file would take long. */
  readonly only?: string;
  /** What else keeps the promise: removed with it, because either alone would hide that the other is gone. */
  readonly together?: readonly Edit[];
}

/** Everything that is changed to remove a control. */
export function editsOf({ file, find, replace, together = [] }: Control): readonly Edit[] {
  return [{ file, find, replace }, ...together];
}

/** A text with one edit made; an edit that does not fit exactly once is an error. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(`${file} holds ${parts.length - 1} times, and not once: ${find}`);
}

/** Which of Vitest's projects a test file belongs to. */
export function projectOf(test: string): string {
  return test.split('/')[1] ?? '';
}
