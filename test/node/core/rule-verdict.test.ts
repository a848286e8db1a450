import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import type { Rule } from '../../../src/gate/rules/rule.ts';
import { verdictOf } from '../../../src/gate/rules/rule-verdict.ts';

const NOW = 1_800_000_000_000;

const rule = (effect: Rule['effect'], match: Rule['match']): Rule => ({
  ...{ id: `rule_${effect}`, tool: 'run_in_terminal', machine: null, effect, match },
  ...{ expiresAt: NOW + 60_000, maxUses: null, uses: 0, enabled: true, note: '', createdAt: NOW },
  examples: { must: [], mustNot: [] },
});
const anyCommand = rule('allow', { kind: 'tool', root: null });
const never = (...argv: string[]) =>
  rule('deny', { kind: 'argv', argv, options: [], operands: 'any', fields: {} });

const run = (command: string) => ({
  ...({
    tool: 'run_in_terminal',
    machine: 'mini',
    root: 'shop',
    risk: 'dangerous',
    approval: 'ask',
  } as const),
  args: canonicalJson({ command }),
  shown: null,
});
/** Whether a sandbox would be enough for it to run unasked. */
const runs = (command: string, ...noes: Rule[]) =>
  verdictOf(run(command), [anyCommand, ...noes], NOW) === 'look';

describe('a yes to every command in the sandbox, while one command is denied,', () => {
  it('goes on for what has nothing to do with it', () => {
    expect(runs('ls -la', never('git', 'push'))).toBe(true);
    expect(runs('GIT push')).toBe(true);
  });

  it.each([
    ['GIT push', ['git', 'push']],
    ['rm -fr x', ['rm', '-rf']],
    ['rm -r -f x', ['rm', '-rf']],
    ['terraform -chdir=. destroy', ['terraform', 'destroy']],
    ['npm publis', ['npm', 'publish']],
    ['cmake -E env git push', ['git', 'push']],
    ['cross-env X=1 git push', ['git', 'push']],
    ['npm test', ['git', 'push']],
    ['make release', ['git', 'push']],
    ['ls | cat; git push', ['git', 'push']],
  ])('asks about %s, which may be it in other words', (command, argv) => {
    expect(runs(command, never(...argv))).toBe(false);
  });

  it('asks about every command where the no is to a text', () => {
    const no = rule('deny', { kind: 'arguments', fields: { command: { regex: '.*git push.*' } } });
    expect(runs('git pu""sh', no)).toBe(false);
    expect(runs('ls', no)).toBe(false);
  });
});
