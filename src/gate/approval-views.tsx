import { Problem } from '../console/layout.tsx';
import { Badge, Card, Csrf, Empty, Facts, Heading, Table, type Tone, When } from '../console/parts.tsx';
import { visible } from '../core/visible.ts';
import type { ApprovalView } from './approval-view.ts';

const STATE: Record<ApprovalView['state'], readonly [string, Tone]> = {
  pending: ['waits for you', 'warn'],
  approved: ['approved, runs when the call comes back', 'good'],
  denied: ['refused', 'bad'],
  consumed: ['approved and run', 'good'],
  expired: ['ran out undecided', 'calm'],
};

const RISK: Readonly<Record<string, Tone>> = { read_only: 'good', safe_write: 'warn', dangerous: 'bad' };

/** How much harm a call could do, by its contract. */
export function Risk({ risk }: { readonly risk: string }) {
  return <Badge tone={RISK[risk] ?? 'calm'}>{risk}</Badge>;
}

/** Calls that wait, each with the beginning of what it would do. */
export function Asks({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  return (
    <ul class="asks">
      {approvals.map((approval) => (
        <li class="ask">
          <div>
            <a href={`/approvals/${approval.code}`}>
              {visible(approval.tool, 80)} <span class="mono quiet">{approval.code}</span>
            </a>
            <div class="small quiet">
              {visible(approval.client, 60)}
              {approval.machine === null ? '' : ` on ${visible(approval.machine, 64)}`} ·{' '}
              <When at={approval.openedAt} />
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

/** What the call would do, in as much of one line as fits. */
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

/** What waits, and what was decided in the last day. */
export function ApprovalsView({ approvals }: { readonly approvals: readonly ApprovalView[] }) {
  const waiting = approvals.filter(({ state }) => state === 'pending');
  const earlier = approvals.filter(({ state }) => state !== 'pending');
  return (
    <>
      <Heading title="Approvals">
        Calls that may change something wait here for you, ten minutes each. What is new shows up by itself.
      </Heading>
      <div id="approvals" data-live>
        <Card title={waiting.length === 0 ? undefined : 'Waiting for you'}>
          {waiting.length === 0 ? (
            <Empty title="Nothing waits for you">
              {earlier.length === 0 ? 'Nothing waits for you, and nothing did in the last day.' : null}
            </Empty>
          ) : (
            <Asks approvals={waiting} />
          )}
        </Card>
        {earlier.length === 0 ? null : (
          <Card title="In the last day">
            <Table caption="Approvals of the last day" heads={['Call', 'By', 'When', 'State']}>
              {earlier.map((approval) => (
                <tr>
                  <td>
                    <a href={`/approvals/${approval.code}`}>
                      {visible(approval.tool, 80)} <span class="mono quiet">{approval.code}</span>
                    </a>
                  </td>
                  <td data-label="By">{visible(approval.client, 60)}</td>
                  <td data-label="When">
                    <When at={approval.openedAt} />
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

function State({ state }: { readonly state: ApprovalView['state'] }) {
  const [words, tone] = STATE[state];
  return <Badge tone={tone}>{words}</Badge>;
}

export interface OneProps {
  readonly approval: ApprovalView;
  readonly csrf: string;
  /** The rule that "always" would write, or why it can't. */
  readonly always: { readonly text: string } | { readonly problem: string } | null;
  readonly problem?: string | undefined;
}

/** Something is folded in the question itself, and not too long to be laid open at once. */
function opensAtOnce({ text, full }: ApprovalView): boolean {
  return full.length <= 4_000 && / <\d+ bytes?>$/m.test(text);
}

/** One call with everything that it would be given, and the decision. */
export function ApprovalPage({ approval, csrf, always, problem }: OneProps) {
  const waits = approval.state === 'pending';
  const { machine, root } = approval;
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      <Heading
        title={
          <>
            {visible(approval.tool, 80)} <span class="quiet mono">{approval.code}</span>
          </>
        }
        actions={<a href="/approvals">All approvals</a>}
      >
        {visible(approval.client, 80)} asks to run this.
      </Heading>
      <Card id="approval" live>
        <Facts
          facts={[
            ['State', <State state={approval.state} />],
            ['Risk', <Risk risk={approval.risk} />],
            ['Asked by', visible(approval.client, 80)],
            ['Signed in as', <span class="mono">{visible(approval.principal, 120)}</span>],
            ['Runs on', machine === null ? 'the gateway' : visible(machine, 80)],
            ...(root === null ? [] : [['Folder', visible(root, 128)] as const]),
            ['Asked', <When at={approval.openedAt} />],
            [waits ? 'Runs out' : 'Decided', waits ? <When at={approval.expiresAt} /> : decidedAt(approval)],
          ]}
        />
        <pre class="shown">{approval.text}</pre>
        <details open={opensAtOnce(approval)}>
          <summary>Every argument, whole</summary>
          <pre class="shown">{approval.full}</pre>
        </details>
        {waits ? <Decision {...{ approval, csrf, always }} /> : null}
      </Card>
    </>
  );
}

function decidedAt({ decidedAt: at }: ApprovalView) {
  return at === null ? 'not at all' : <When at={at} />;
}

function Decision({ approval, csrf, always }: OneProps) {
  const rule = always && 'text' in always ? always.text : undefined;
  return (
    <form method="post" action={`/approvals/${approval.code}`}>
      <Csrf value={csrf} />
      <p class="row">
        <button class="main" type="submit" name="decision" value="approve">
          Approve once
        </button>
        <button type="submit" name="decision" value="deny">
          Deny
        </button>
        <button
          type="submit"
          name="decision"
          value="always"
          disabled={rule === undefined}
          aria-describedby="always"
        >
          Always
        </button>
      </p>
      <p class="quiet small" id="always">
        {rule === undefined ? (
          <>“Always” is not to be had here. {always && 'problem' in always ? always.problem : ''}</>
        ) : (
          <>
            “Always” approves this call and writes this rule: <span class="mono">{rule}</span>
          </>
        )}
      </p>
    </form>
  );
}
