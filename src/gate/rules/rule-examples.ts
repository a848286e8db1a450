import { canonicalJson, parseStrictJson } from '../../core/json.ts';
import { isJoinedName } from '../../joined/names.ts';
import { matchesRule, ruleProblem as problem, type RuleCall, type RuleDraft } from './rule.ts';

/** Lists where a rule disagrees with the calls that it must and must not match. */
export function* exampleProblems(draft: RuleDraft) {
  const { must, mustNot } = draft.examples;
  // A rule that matches every call has nothing to show.
  const isBlanket = draft.match.kind === 'any' || draft.match.kind === 'tool';
  if (must.length === 0 && !isBlanket) {
    yield problem(
      'no_example',
      'There is no example of a call that the rule must match.',
      'Add the arguments of a call that it is meant for.',
    );
  }
  if (mustNot.length === 0 && !isBlanket) {
    yield problem(
      'no_counterexample',
      'There is no example of a call that the rule must not match.',
      'Add the arguments of a call that is nearly the same and not meant.',
    );
  }
  yield* wrongExamples(draft, must, true);
  yield* wrongExamples(draft, mustNot, false);
}

function* wrongExamples(draft: RuleDraft, examples: readonly string[], should: boolean) {
  for (const example of examples) {
    const args = objectIn(example);
    if (!args) {
      yield problem(
        'bad_example',
        `\`${example.slice(0, 80)}\` is not a JSON object.`,
        'Write the arguments as one JSON object.',
      );
    } else if (matchesRule(draft, exampleCall(draft, args)) !== should) {
      yield should
        ? problem(
            'example_not_matched',
            `The rule does not match \`${example.slice(0, 80)}\`, which it must.`,
            'Widen the pattern, or correct the example: it has every argument, defaults included.',
          )
        : problem(
            'counterexample_matched',
            `The rule matches \`${example.slice(0, 80)}\`, which it must not.`,
            'Narrow the pattern, or correct the example.',
          );
    }
  }
}

function objectIn(text: string): RuleCall['args'] | null {
  try {
    const value = parseStrictJson(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as RuleCall['args'] | null) : null;
  } catch {
    return null;
  }
}

/**
 * Makes the example's call, on the machine and in the folder that the example names, or else on the rule's
 * machine.
 */
function exampleCall({ tool, machine }: RuleDraft, args: RuleCall['args']): RuleCall {
  const isNamed = typeof args.machine === 'string' && !isJoinedName(tool);
  return {
    tool,
    machine: isNamed ? String(args.machine) : machine,
    root: typeof args.root === 'string' && !isJoinedName(tool) ? args.root : null,
    args,
    canonicalArgs: canonicalJson(args),
  };
}
