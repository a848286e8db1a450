import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { catalogue } from '../../../interop/catalogue.ts';
import { STEPS } from '../../../interop/steps.ts';
import { lost, recorded } from '../../../interop/table.ts';
import { PROJECT } from '../../support/up.ts';

const page = readFileSync(join(PROJECT, 'docs', 'interop.md'), 'utf8');
const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'interop', 'package.json'), 'utf8'));

it('the table of clients is of those that are installed, and of all of them', () => {
  const lines = page.split('\n');
  for (const [key, { package: name, how }] of Object.entries(catalogue))
    expect(lines).toContainEqual(
      expect.stringContaining(`| \`${key}\` | \`${name}\` ${dependencies[name]} | ${how} | `),
    );
});

it('the table can be read back, and what it has as passed is missed when it fails', () => {
  const before = recorded(page);
  expect(Object.keys(catalogue).filter((key) => !before.has(key))).toEqual([]);
  expect(before.get('sdk-2')?.size).toBe(Object.keys(STEPS).length);
  expect(before.get('langchain')?.has('schemas')).toBe(false);
  const results = { connect: { step: 'connect', outcome: 'failed' } } as const;
  const gone = lost(before, [{ key: 'langchain', results }]);
  expect(gone).toContain(`langchain, ${STEPS.connect}`);
  expect(gone).not.toContain(`langchain, ${STEPS.schemas}`);
});
