import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { TERMINAL_TOOL } from '../../../src/gate/rules/rule.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';
import { ruleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { PROJECT } from '../../support/up.ts';

const page = readFileSync(join(PROJECT, 'docs', 'rules-cookbook.md'), 'utf8');
const recipes = [...page.matchAll(/^## (.+)\n[\s\S]*?^```json\n([\s\S]*?)^```/gm)].map(
  ([, title = '', json = '']) => [title, json] as const,
);

describe('the cookbook', () => {
  it('has a rule under every heading', () => {
    expect(recipes.map(([title]) => title)).toEqual(
      [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
    );
    expect(recipes.length).toBeGreaterThan(4);
  });

  it.each(recipes)('%s: can be saved, and its examples hold', (_, json) => {
    const draft = ruleDraft.parse(JSON.parse(json));
    const tools = Object.values(catalogue).map(({ wireName }) => wireName as string);
    const checked = checkRule(draft, {
      toolExists: (tool) => tools.includes(tool),
      isTerminal: (tool) => tool === TERMINAL_TOOL,
      now: Date.now(),
    });
    expect(checked).toMatchObject({ ok: true });
    expect(draft.examples.must.length).toBeGreaterThan(0);
  });
});
