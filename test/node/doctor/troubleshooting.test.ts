import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyContract } from '../../../contracts/contract.ts';
import { doorErrors } from '../../../contracts/door-errors.ts';
import { catalogue } from '../../../contracts/index.ts';
import { PROJECT } from '../../support/up.ts';

const contracts: readonly AnyContract[] = Object.values(catalogue);
const codes = new Set([
  ...Object.keys(doorErrors),
  ...contracts.flatMap(({ errors }) => Object.keys(errors)),
]);
/** Those of pages and of the owner's API, which no tool has. */
const elsewhere = ['sign_in_required', 'wrong_sign_in_code', 'proof_needed', 'forbidden_origin'];

const page = readFileSync(join(PROJECT, 'docs', 'troubleshooting.md'), 'utf8');
const tables = page.split('\n## ').filter((part) => part.includes('| code | means | do |'));
const named = new Set(
  tables
    .flatMap((table) => table.split('\n'))
    .flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? ''),
    ),
);

describe('docs/troubleshooting.md', () => {
  it('has every code that a tool can answer with', () => {
    expect([...codes].filter((code) => !named.has(code))).toEqual([]);
  });

  it('has no code that there is not', () => {
    expect([...named].filter((code) => !codes.has(code) && !elsewhere.includes(code))).toEqual([]);
  });
});
