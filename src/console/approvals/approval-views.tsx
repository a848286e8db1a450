import { visible } from '../../core/visible.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import { Problem } from '../parts/layout.tsx';
import { LIVE } from '../parts/page-names.ts';
import { Ago, Card, Empty, Heading, Table } from '../parts/parts.tsx';
import { Risk } from '../parts/risk.tsx';
import { DecidableAsks, DenySeveral, type WaitingAsk } from './approval-asks.tsx';
import { AskedSentence, Decided, State } from './approval-parts.tsx';

/** Lists waiting calls, each with the beginning of what it would do. */
export function Asks({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  return (
    <ul class="asks">
      {approvals.map((approval) => (
        <li class="ask">
          <div>
            <a href={`/approvals/${approval.code}`}>
              <AskedSentence sentence={approval.sentence} />
            </a>
            <div class="small quiet">
              <span class="mono unbroken">{approval.code}</span> · {visible(approval.tool, 80)} ·{' '}
              <Ago at={approval.openedAt} />
            </div>
          </div>
          <div>
            <Risk risk={approval.risk} />
          </div>
          <p class="peek">{peek(approval.text)}</p>
        </li>
      ))}
    </ul>
  );
}

/** Shows what the call would do, as much as fits on one line. */
function peek(text: string): string {
  const lines = text.split('\n').slice(2);
  const end = lines.findIndex((line) => line.startsWith('Files affected: '));
  return lines
    .slice(0, end)
    .map((line) => line.trim())
    .join(' · ')
    .slice(0, 200)
    .toWellFormed();
}

/** Lists what waits, and what was decided in the last day. */
export function ApprovalsView({
  approvals,
  csrf,
  problem,
  after,
  denied,
}: {
  readonly approvals: readonly WaitingAsk[];
  readonly csrf: string;
  readonly problem?: string | undefined;
  /** The approval that was decided just before, or the number of denied ones. */
  readonly after?: ApprovalView | undefined;
  readonly denied?: number | undefined;
}) {
  const waiting = approvals.filter(({ state }) => state === 'pending');
  const earlier = approvals.filter(({ state }) => state !== 'pending');
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      {after ? <Decided approval={after} /> : null}
      {denied === undefined ? null : (
        <p class="done" role="status">
          {denied === 1 ? '1 call was' : `${denied} calls were`} denied.
        </p>
      )}
      <Heading title="Approvals">
        Calls that may change something wait here for your decision, for ten minutes each. New ones appear by
        themselves.
      </Heading>
      <div id="approvals" {...{ [LIVE]: true }}>
        <Card title={waiting.length === 0 ? undefined : 'Waiting for you'}>
          {waiting.length === 0 ? (
            <Empty title="Nothing waits for you">
              {earlier.length === 0 ? 'No call waited in the last day either.' : null}
            </Empty>
          ) : (
            <>
              <DecidableAsks approvals={waiting} csrf={csrf} />
              <DenySeveral approvals={waiting} csrf={csrf} />
            </>
          )}
        </Card>
        {earlier.length === 0 ? null : (
          <Card title="In the last day">
            <Table caption="Approvals of the last day" heads={['Call', 'By', 'When', 'State']}>
              {earlier.map((approval) => (
                <tr>
                  <td>
                    <a href={`/approvals/${approval.code}`}>
                      {visible(approval.tool, 80)} <span class="mono quiet unbroken">{approval.code}</span>
                    </a>
                  </td>
                  <td data-label="By">{visible(approval.client, 60)}</td>
                  <td data-label="When">
                    <Ago at={approval.openedAt} />
                  </td>
                  <td>
                    <State state={approval.state} />
                  </td>
                </tr>
              ))}
            </Table>
          </Card>
        )}
      </div>
    </>
  );
}
