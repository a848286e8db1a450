import type { RuleProblem } from './rule.ts';

/** The error for a pattern that no rule may have. Any part of the parser may throw it. */
export class RegexRefused extends Error {
  readonly problem: RuleProblem;
  constructor(problem: RuleProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Makes the refusal of that name, with a detail about this pattern. */
export function refusal(code: keyof typeof problems, detail?: string): RegexRefused {
  const { message, suggestion } = problems[code];
  return new RegexRefused({ code, message: detail ? `${message} ${detail}` : message, suggestion });
}

const problems = {
  empty_pattern: {
    message: 'The pattern is empty.',
    suggestion: 'Write between `^` and `$` what the value may be, or use `equals` for an empty one.',
  },
  pattern_too_long: {
    message: 'The pattern has more than 512 characters.',
    suggestion: 'Make several rules, or use `equals` for a long value.',
  },
  look_around: {
    message: 'The pattern looks ahead or behind (`(?=`, `(?!`, `(?<=`, `(?<!`), which RE2 cannot do.',
    suggestion:
      'Say what the text is, not what stands beside it; to take something away, add a rule that denies.',
  },
  back_reference: {
    message: 'The pattern refers back to a group (`\\1`, `\\k<name>`), which RE2 cannot do.',
    suggestion: 'Write out what the group may be a second time.',
  },
  inline_flags: {
    message: 'The pattern sets flags or names a group (`(?i)`, `(?s:`, `(?<name>`).',
    suggestion: 'Group with `(?:…)`, and write both cases out as in `[Aa]`.',
  },
  unanchored: {
    message: 'The pattern must begin with `^` and end with `$`, for the whole of it and nowhere else.',
    suggestion: 'Put everything between `^(?:` and `)$`.',
  },
  invalid_regex: {
    message: 'The pattern is not a regular expression that Bowline takes.',
    suggestion: 'See the syntax of RE2; a backslash makes a special character mean itself.',
  },
} as const;
