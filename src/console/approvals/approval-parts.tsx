import { visible } from '../../core/visible.ts';
import { gistOf, linesOf, previewOf } from '../../gate/approval-gist.ts';
import { withoutPrompt } from '../../gate/approval-text.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import { diffLines } from '../../gate/diff-lines.ts';
import { Badge, type Tone } from '../parts/parts.tsx';

const STATE: Record<ApprovalView['state'], readonly [string, Tone]> = {
  pending: ['waits for you', 'warn'],
  approved: ['approved, runs when the caller asks again', 'good'],
  denied: ['denied', 'bad'],
  consumed: ['approved, and it ran', 'good'],
  expired: ['expired without an answer', 'calm'],
};

/** Shows the state of a question. */
export function State({ state }: { readonly state: ApprovalView['state'] }) {
  const [words, tone] = STATE[state];
  return <Badge tone={tone}>{words}</Badge>;
}

/** Gives what a yes does, and its text: it lets a caller that waits go on, or runs the call of one that has left. */
export function yesFor({ held }: { readonly held: boolean }) {
  return held
    ? ({ decision: 'approve', text: 'Approve once' } as const)
    : ({ decision: 'run', text: 'Run now' } as const);
}

/** Shows the question in one sentence. */
export function AskedSentence({ sentence: { who, does, what, where } }: Pick<ApprovalView, 'sentence'>) {
  return (
    <>
      {who} wants to {does} <code>{what}</code>
      {where}
    </>
  );
}

/** The number of lines that a phone shows above the buttons. */
const FIRST_LINES = 10;

/**
 * Shows a text of strangers line by line: the first lines at once, the rest behind a line that counts them.
 * In a diff the sign says what a line is, and the colour only helps.
 */
export function Lines({ text, coloured = false }: { readonly text: string; readonly coloured?: boolean }) {
  const lines = linesOf(text);
  const first = lines.slice(0, FIRST_LINES);
  const rest = lines.slice(FIRST_LINES);
  const kinds = coloured ? diffLines(lines) : [];
  const shown = (some: readonly string[], from: number) =>
    coloured ? some.map((line, at) => <span class={kinds[from + at]}>{`${line}\n`}</span>) : some.join('\n');
  return (
    <>
      <pre class="asked">{shown(first, 0)}</pre>
      {rest.length === 0 ? null : (
        <details class="more">
          <summary>{rest.length === 1 ? '1 more line' : `${rest.length} more lines`}</summary>
          <pre class="asked">{shown(rest, FIRST_LINES)}</pre>
        </details>
      )}
    </>
  );
}

/** Lists facts about a call: the unusual ones, or the others. */
export function FactList({
  approval,
  unusual,
}: {
  readonly approval: ApprovalView;
  readonly unusual: boolean;
}) {
  const facts = previewOf(approval)?.facts.filter((fact) => fact.unusual === unusual) ?? [];
  if (facts.length === 0) return null;
  const list = (
    <ul class="noted">
      {facts.map(({ text }) => (
        <li>{visible(text, 1_000)}</li>
      ))}
    </ul>
  );
  if (!unusual) return list;
  return (
    <section class="unusual" aria-label="Unusual" tabindex={0}>
      {list}
    </section>
  );
}

/** Shows what a call would do: its diff, its command, or else its arguments. */
export function Gist({ approval }: { readonly approval: ApprovalView }) {
  const gist = gistOf(approval);
  return gist ? (
    <Lines text={gist.text} coloured={gist.isDiff} />
  ) : (
    <pre class="asked">{withoutPrompt(approval.text)}</pre>
  );
}

/** Counts the lines of a call's effect that are folded away. */
export function foldedLines(approval: ApprovalView): number {
  const gist = gistOf(approval);
  return gist ? Math.max(0, linesOf(gist.text).length - FIRST_LINES) : 0;
}

/** Says that nobody could make a preview. */
export function Unseen({ approval: { shown } }: { readonly approval: ApprovalView }) {
  return 'why' in shown ? <p class="quiet small">No preview. {visible(shown.why, 300)}</p> : null;
}

/** Shows what was decided just before. */
export function Decided({
  approval: { code, state },
  next = false,
}: {
  readonly approval: Pick<ApprovalView, 'code' | 'state'>;
  readonly next?: boolean;
}) {
  return (
    <p class="done" role="status">
      <a href={`/approvals/${code}`}>{code}</a>: <State state={state} />.
      {next ? ' This is the next call.' : null}
    </p>
  );
}

/** Tells if the question hides values of some arguments, or ends before them. */
export function hidesArguments(approval: ApprovalView): boolean {
  // A diff or a command shows the whole call, unless a secret was taken out of it.
  const gist = gistOf(approval);
  if (gist) return JSON.stringify(gist).includes('[redacted:');
  return / <\d+ bytes?>$|\[\d+ more characters on the page of /m.test(approval.text);
}
