import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edited, editsOf } from '../controls/control.ts';
import { controls } from '../controls/index.ts';
import { withTable } from '../controls/table.ts';
import { PROJECT } from '../support/up.ts';

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

describe('the list of controls', () => {
  it('has edits that fit, each exactly once, and change something', () => {
    for (const control of controls) {
      const texts = new Map<string, string>();
      for (const edit of editsOf(control)) {
        const text = texts.get(edit.file) ?? read(edit.file);
        const next = edited(text, edit);
        expect(next, control.id).not.toBe(text);
        texts.set(edit.file, next);
      }
    }
  });

  it('names each control once, and tests that are there', () => {
    const ids = controls.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i || !/^[a-z0-9-]+$/.test(id))).toEqual([]);
    const tests = controls.flatMap((control) => control.tests);
    expect(tests.filter((test) => !existsSync(join(PROJECT, test)))).toEqual([]);
    expect(controls.filter((control) => control.tests.length === 0)).toEqual([]);
  });

  it('is the table of docs/security.md, which `node scripts/controls.ts --write` writes', () => {
    const page = read('docs/security.md');
    expect(page).toBe(withTable(page, controls));
  });
});
