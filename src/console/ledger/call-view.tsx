import { visible } from '../../core/visible.ts';
import type { WholeEntry } from '../../gate/ledger.ts';
import { Lines } from '../approvals/approval-parts.tsx';
import { duration } from '../home/charts.tsx';
import { Problem } from '../parts/layout.tsx';
import { Ago, Card, Facts, Heading, When } from '../parts/parts.tsx';
import { Because, Outcome } from './ledger-views.tsx';
import { outputIn, pretty } from './result-text.ts';

function filesText({ files, filesTotal = 0 }: WholeEntry): string | null {
  if (!files) return null;
  const more = filesTotal - files.length;
  return `${visible(files.join(', '), 4_000)}${more > 0 ? ` and ${more} more` : ''}`;
}

interface CallProps {
  readonly call: WholeEntry;
  readonly csrf: string;
  /** True if the call changed files that a machine may put back. */
  readonly canUndo: boolean;
  /** The reason why it was not undone. */
  readonly problem: { readonly message: string; readonly suggestion?: string } | undefined;
}

/** Shows one call with all that the ledger keeps of it. */
export function CallView({ call, csrf, canUndo, problem }: CallProps) {
  const { durationMs, bytes } = call;
  return (
    <>
      <Heading
        title={visible(call.tool, 80)}
        actions={
          <>
            {canUndo ? (
              <form method="post" action={`/ledger/${call.seq}/undo`}>
                <input type="hidden" name="csrf" value={csrf} />
                <button type="submit">Undo…</button>
              </form>
            ) : null}
            <a class="button" href={`/rules/new?from=${call.seq}`}>
              Create rule
            </a>
          </>
        }
      >
        Call {call.seq} of the <a href="/ledger">ledger</a>.
      </Heading>
      {problem ? (
        <Problem
          message={visible(problem.message, 2_000)}
          suggestion={visible(problem.suggestion ?? '', 2_000)}
        />
      ) : null}
      <Card title="What happened">
        <Facts
          facts={[
            ['Outcome', <Outcome entry={call} />],
            [
              'When',
              <>
                <When at={call.at} /> (<Ago at={call.at} />)
              </>,
            ],
            ['Took', durationMs === null ? null : duration(durationMs)],
            ['Decision', <Because call={call} />],
            ['Approved after', call.waitedMs === undefined ? null : duration(call.waitedMs)],
            ['Files affected', filesText(call)],
            ['Client', visible(call.client, 120)],
            ['Signed in as', <span class="mono">{visible(call.principal, 200)}</span>],
            ['Interface', visible(call.via, 20)],
            ['Machine', call.machine === null ? null : visible(call.machine, 80)],
            ['Result size', bytes === null ? null : `${bytes} bytes`],
            ['Call id', <span class="mono">{visible(call.id, 80)}</span>],
            ['Digest', <span class="mono">{visible(call.digest, 80)}</span>],
          ]}
        />
      </Card>
      {call.diff ? (
        <Card title="The diff that was approved" aside="without secrets">
          <Lines text={call.diff} coloured />
        </Card>
      ) : null}
      <Card title="Arguments" aside="without secrets">
        <pre class="shown">{pretty(call.args)}</pre>
      </Card>
      {call.result === null ? null : (
        <Card title="Result" aside="without secrets, kept for a day">
          <pre class="shown">{outputIn(call.result) ?? pretty(call.result)}</pre>
        </Card>
      )}
    </>
  );
}
