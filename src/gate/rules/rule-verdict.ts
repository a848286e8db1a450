import { sessionState } from '../../core/session-state.ts';
import { MAX_LEDGER_CHARS } from '../ledger-args.ts';
import type { GateCall, ShownPreview } from '../messages.ts';
import { parseRun } from './argv-ending.ts';
import { decide, holds, type Ruling } from './policy.ts';
import { isForMachine, type Rule, type RuleCall, TERMINAL_TOOL } from './rule.ts';
import { isLasting, SEND_TOOL, typedCommand, UNDO_TOOL } from './rule-kin.ts';
import { mayRunAnother, plainName } from './rule-launchers.ts';

type Judged = Pick<GateCall, 'tool' | 'machine' | 'root' | 'args' | 'risk' | 'approval' | 'shown'>;

/** The decision about a call, why, and the state that a yes depends on. */
export type Verdict = {
  readonly verdict: Ruling['verdict'];
  readonly because: Ruling['because'] | { readonly kind: 'loan'; readonly id: string };
  readonly seen?: string | null;
};

/** A lasting terminal that the owner lent to the caller of a call. */
export interface Lent {
  readonly id: string;
  /** The call that started the terminal. */
  readonly startedBy: string;
}

/**
 * Gives what rules and loans decide, or `look` if that depends on a preview. A yes to a whole tool lets a dangerous
 * call run only in a sandbox, and the machine must then find things as the preview showed them.
 */
export function verdictOf(call: Judged, rules: readonly Rule[], now: number, lent?: Lent): Verdict | 'look' {
  // Only the machine knows which files a call changed that is to be undone.
  if (call.tool === UNDO_TOOL && call.shown === null && rules.length > 0) return 'look';
  const asked = ruleCall(call, rules);
  if (call.risk !== 'dangerous') return decide(call.approval, rules, asked, now);
  const byLoan = lent && underLoan(call, asked, rules, now, lent);
  if (byLoan) return byLoan;
  const narrow = decide(
    call.approval,
    rules.filter((rule) => !isForTool(rule)),
    asked,
    now,
  );
  if (narrow.verdict === 'allow' && isLasting(call.tool)) {
    // A rule knows commands by their words. In a shell with an alias or another path, words mean something else.
    if (call.shown === null) return 'look';
    const seen = plainState(call.shown);
    const noes = rules.filter(({ effect }) => effect !== 'allow');
    return seen === null ? decide(call.approval, noes, asked, now) : { ...narrow, seen };
  }
  if (narrow.verdict !== 'ask' || narrow.because.kind !== 'default') return narrow;
  const wide = decide(call.approval, rules.filter(isForTool), asked, now);
  if (wide.verdict !== 'allow' || mayHide(asked, rules, now)) return narrow;
  if (call.shown === null) return 'look';
  const seen = sandboxedState(call.shown);
  return seen === null ? narrow : { ...wide, seen };
}

/**
 * Gives what a loan decides about what is typed into its terminal; undefined if the call is judged as without it. A rule
 * that denies or asks comes first. While there is one for that machine, the loan covers only lines that can hide nothing
 * from it: whole commands, in a shell where words still mean what they say, and in a sandbox, because a list of programs
 * that run others is never complete.
 */
function underLoan(
  call: Judged,
  asked: RuleCall,
  rules: readonly Rule[],
  now: number,
  { id, startedBy }: Lent,
): Verdict | 'look' | undefined {
  if (call.tool !== SEND_TOOL) return undefined;
  // The ledger and the pages show what was typed under a loan. Nobody saw it before, so it must be shown whole.
  if (String(JSON.parse(call.args).text ?? '').length > MAX_LEDGER_CHARS) return undefined;
  const noes = rules.filter(
    (rule) => rule.effect !== 'allow' && holds(rule, now) && isForMachine(rule, asked),
  );
  const allowed = { verdict: 'allow', because: { kind: 'loan', id } } as const;
  if (noes.length === 0) return { ...allowed, seen: sessionState(startedBy) };
  const line = typedCommand(asked);
  if (!line || noes.some(({ tool }) => tool !== line.tool)) return undefined;
  if (mayHide({ ...asked, ...line }, noes, now)) return undefined;
  if (call.shown === null) return 'look';
  const seen = plainState(call.shown);
  const isIt = 'preview' in call.shown && call.shown.preview.lasting?.startedBy === startedBy;
  return seen !== null && isIt && isSandboxed(call.shown) ? { ...allowed, seen } : undefined;
}

function isForTool({ match }: Rule): boolean {
  return match.kind === 'tool';
}

/** Tells if the machine said that the call would run in a sandbox. */
export function isSandboxed(shown: ShownPreview): boolean {
  return sandboxedState(shown) !== null;
}

/**
 * Gives what a run in the sandbox must find unchanged. Without it the machine would not have to keep its
 * word.
 */
function sandboxedState(shown: ShownPreview): string | null {
  return 'preview' in shown && shown.preview.sandboxed === true ? shown.preview.state : null;
}

/** Gives what a line must find unchanged to mean what its words say; null if nobody knows that it does. */
function plainState(shown: ShownPreview): string | null {
  return 'preview' in shown && shown.preview.plainShell === true ? shown.preview.state : null;
}

/** Programs that run what the project says, which a model may have written. */
const PROJECT_RUNNERS = new Set(
  (
    'npm pnpm yarn bun deno make cmake ctest ninja meson bazel cargo go pytest tox nox gradle mvn rake bundle just task ' +
    'composer swift dotnet mix sbt lein stack cabal vitest jest tsx hg cross-env xvfb-run hyperfine nodemon direnv mise nix'
  ).split(' '),
);

/** Tells whether a rule denies some command that this one may run although its words do not show it. */
function mayHide({ tool, args }: RuleCall, rules: readonly Rule[], now: number): boolean {
  if (tool !== TERMINAL_TOOL) return false;
  const noes = rules.filter((rule) => rule.tool === tool && rule.effect !== 'allow' && holds(rule, now));
  if (noes.length === 0) return false;
  // Another spelling of a command gets past a no to a text, and a shell knows many spellings.
  if (noes.some(({ match }) => match.kind !== 'argv')) return true;
  const parsed = parseRun(String(args.command));
  if ('problem' in parsed) return true;
  const denied = new Set(
    // A rule may name a program by its path, and a line by its name.
    noes.flatMap(({ match }) =>
      match.kind === 'argv'
        ? [match.argv[0] ?? '', match.argv[0]?.split('/').at(-1) ?? ''].map(plainName)
        : [],
    ),
  );
  return parsed.programs.some((argv) => {
    const name = plainName(argv[0] ?? '');
    // The same program may do what is denied in other words: `rm -fr` for `rm -rf`.
    return denied.has(name) || PROJECT_RUNNERS.has(name) || mayRunAnother(argv);
  });
}

/** Gives the call as rules look at it. Without rules, nobody needs to read its arguments. */
function ruleCall({ tool, machine, root, args, shown }: Judged, rules: readonly Rule[]): RuleCall {
  const files = shown && 'preview' in shown ? shown.preview.files : null;
  return {
    ...{ tool, machine, root, args: rules.length > 0 ? JSON.parse(args) : {}, canonicalArgs: args },
    ...(files ? { touches: files } : {}),
  };
}
