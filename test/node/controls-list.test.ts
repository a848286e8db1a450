import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Control, editsOf, testsAt } from '../controls/control.ts';
import { Project } from '../controls/fit/project.ts';
import { controls } from '../controls/index.ts';
import { withTable } from '../controls/table.ts';
import { PROJECT } from '../support/up.ts';

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

/** Tries something with each control, and gives what is wrong with any. */
function problems(attempt: (control: Control) => void): readonly string[] {
  return controls.flatMap((control) => {
    try {
      attempt(control);
      return [];
    } catch (error) {
      return [`${control.id}: ${error instanceof Error ? error.message : error}`];
    }
  });
}

describe('the list of controls', () => {
  it('has edits that fit, each exactly once, and change something', () => {
    const project = Project.at(PROJECT);
    expect(problems((control) => project.edited(editsOf(control)))).toEqual([]);
  });

  it('names each control once, and tests that are there', () => {
    const ids = controls.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i || !/^[a-z0-9-]+$/.test(id))).toEqual([]);
    const pathOf = testsAt(PROJECT);
    expect(problems((control) => control.tests.forEach((test) => void pathOf(test)))).toEqual([]);
    expect(controls.filter((control) => control.tests.length === 0)).toEqual([]);
  });

  it('is the table of docs/security.md, which `node scripts/controls.ts --write` writes', () => {
    const page = read('docs/security.md');
    expect(page).toBe(withTable(page, controls));
  });
});
