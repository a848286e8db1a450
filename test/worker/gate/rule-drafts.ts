import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { openRig, type Rig } from './rig.ts';

const DAY = 86_400_000;

/** A rule that lets notes below `docs/` be written, with whatever is to be different about it. */
export function ruleFor(change: Partial<RuleDraft> = {}): RuleDraft {
  return {
    tool: 'desk_write',
    machine: null,
    effect: 'allow',
    match: { kind: 'arguments', fields: { path: { regex: '^docs/[a-z]+$' }, content: { any: true } } },
    expiresAt: Date.now() + DAY,
    maxUses: null,
    note: '',
    examples: {
      must: ['{"path":"docs/a","content":""}'],
      mustNot: ['{"path":"src/a","content":""}'],
    },
    ...change,
  };
}

/** The same rule saying no, or that the owner is to be asked. */
export function noFor(effect: 'deny' | 'ask', change: Partial<RuleDraft> = {}): RuleDraft {
  const match = { kind: 'arguments', fields: { path: { regex: '^docs/secret[a-z]*$' } } } as const;
  const examples = { must: ['{"path":"docs/secret"}'], mustNot: ['{"path":"docs/a"}'] };
  return ruleFor({ effect, match, examples, ...change });
}

/** Saves rules, and gives the id of each. */
export async function addRules(rig: Rig, ...drafts: RuleDraft[]): Promise<string[]> {
  const ids: string[] = [];
  for (const draft of drafts) {
    const saved = await rig.gate().addRule(draft, true);
    if (!('id' in saved)) throw new Error(JSON.stringify(saved));
    ids.push(saved.id);
  }
  return ids;
}

/** A gate with these rules. */
export async function rigWith(...drafts: RuleDraft[]): Promise<{ rig: Rig; ids: string[] }> {
  const rig = openRig();
  // One caller may hold a quarter of the places, and here one makes all the calls.
  await rig.gate().changeSetting('max_pending', 200);
  return { rig, ids: await addRules(rig, ...drafts) };
}
