import { globSync } from 'node:fs';
import type { Edit } from './fit/project.ts';

/** A promise of docs/security.md, the smallest edit that breaks it, and the tests that have to notice. */
export type Control = Edit & {
  readonly id: string;
  readonly promise: string;
  /** The names of test files, with as much of their folder as tells them apart. Each has to fail without the control. */
  readonly tests: readonly string[];
  /** A pattern of test names, where the whole file would take long. */
  readonly only?: string;
  /** What else keeps the promise: removed with it, because either alone would hide that the other is gone. */
  readonly together?: readonly Edit[];
};

/** Everything that is changed to remove a control. */
export function editsOf(control: Control): readonly Edit[] {
  return [control, ...(control.together ?? [])];
}

/** The tests of a project, by the names that controls give them. */
export function testsAt(folder: string): (name: string) => string {
  const paths = globSync('test/**/*.test.{ts,tsx}', { cwd: folder });
  return (name) => {
    const found = paths.filter((path) => path.endsWith(`/${name}`));
    if (found.length === 1 && found[0]) return found[0];
    throw new Error(`${found.length} tests are called ${name}, and not one: ${found.join(', ')}`);
  };
}

/** Which of Vitest's projects a test file belongs to. */
export function projectOf(test: string): string {
  return test.split('/')[1] ?? '';
}
