import { visible } from '../../core/visible.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import type { Overview } from '../../gate/ledger-overview.ts';
import type { ShownLoan } from '../../gate/loans.ts';
import { Asks } from '../approvals/approval-views.tsx';
import { LentTerminals } from '../loans/loan-views.tsx';
import { LIVE } from '../parts/page-names.ts';
import { Ago, Badge, Card, Copyable, Empty, Heading } from '../parts/parts.tsx';
import { Bars, count, duration, Lines } from './charts.tsx';

export interface HomeMachine {
  readonly name: string;
  readonly online: boolean;
  readonly since: number | null;
  readonly version: string | null;
}

interface Props {
  readonly overview: Overview;
  readonly waiting: readonly ApprovalView[];
  readonly machines: readonly HomeMachine[];
  readonly mcpUrl: string;
  readonly loans: readonly ShownLoan[];
  readonly csrf: string;
}

/** The number of past hours to show. */
export const HOURS = 24;

/** Shows the first page: what waits, which machines answer, and what happened in the last day. */
export function HomePage({ overview, waiting, machines, mcpUrl, loans, csrf }: Props) {
  const { whole } = overview;
  const online = machines.filter((machine) => machine.online).length;
  return (
    <>
      <Heading title="Your Bowline is up">What waits for you, and what happened in the last day.</Heading>
      <div class="tiles" id="tiles" {...{ [LIVE]: true }}>
        <Tile
          name="waiting for you"
          value={count(waiting.length)}
          href="/approvals"
          calls={waiting.length > 0}
        />
        <Tile
          name="calls in 24 hours"
          value={`${count(whole.calls)}${overview.cut ? '+' : ''}`}
          href="/ledger"
        />
        <Tile name="failed" value={count(whole.failed)} href="/ledger?outcome=failed" />
        <Tile name="machines online" value={`${online} of ${machines.length}`} href="/machines" />
      </div>
      {waiting.length > 0 ? (
        <Card title="Waiting for you" id="waiting" live aside={<a href="/approvals">All approvals</a>}>
          <Asks approvals={waiting} />
        </Card>
      ) : (
        <div id="waiting" {...{ [LIVE]: true }} />
      )}
      <LentTerminals loans={loans} csrf={csrf} from="/" />
      <div class="grid">
        <Card title="Calls" id="calls" live aside="last 24 hours">
          <Calls overview={overview} />
        </Card>
        <Card title="How long calls took" id="times" live aside={<Medians overview={overview} />}>
          <Times overview={overview} />
        </Card>
      </div>
      <div class="grid">
        <Card title="Machines" id="machines" live aside={<a href="/machines">All machines</a>}>
          <Machines machines={machines} />
        </Card>
        <Card title="Most used" id="used" live aside={<a href="/ledger">Ledger</a>}>
          {overview.tools.length === 0 ? (
            <p class="quiet">No tool was used in the last day.</p>
          ) : (
            <table>
              <caption class="unseen">Tools by calls in the last day</caption>
              <tbody>
                {overview.tools.map(({ tool, calls }) => (
                  <tr>
                    <td class="mono">
                      <a href={`/ledger?tool=${encodeURIComponent(tool)}`}>{visible(tool, 60)}</a>
                    </td>
                    <td class="num">{count(calls)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
      </div>
      <Card title="Connector address" aside={<a href="/connect">Step by step</a>}>
        <p>Add it in Claude or ChatGPT as a custom connector. You are then asked here what the app may do.</p>
        <Copyable text={mcpUrl} label="the address" />
      </Card>
    </>
  );
}

function Tile({ name, value, href, calls }: { name: string; value: string; href: string; calls?: boolean }) {
  return (
    <a class={calls ? 'tile calls-for' : 'tile'} href={href}>
      <span class="value">{value}</span> <span class="name">{name}</span>
    </a>
  );
}

function Calls({ overview }: { readonly overview: Overview }) {
  const { whole } = overview;
  if (whole.calls === 0) return <Empty title="Nothing yet">Calls show up here as they are made.</Empty>;
  const points = hours().map(({ label, slot }) => {
    const found = overview.slots.find((one) => one.slot === slot);
    return { label, value: found?.calls ?? 0, second: found?.failed ?? 0 };
  });
  const says = `${whole.calls} calls in the last 24 hours, of which ${whole.failed} failed and ${whole.asked} waited for you.`;
  return (
    <Bars id="chart-calls" title="Calls per hour" says={says} points={points} ends={ENDS} unit={count} />
  );
}

function Times({ overview }: { readonly overview: Overview }) {
  const { p50, p95 } = overview.whole;
  if (p50 === null || p95 === null)
    return <Empty title="Nothing yet">Times show up here once calls have run.</Empty>;
  const points = hours().map(({ label, slot }) => {
    const found = overview.slots.find((one) => one.slot === slot);
    return { label, value: found?.p50 ?? null, second: found?.p95 ?? null };
  });
  const says = `Half of the calls took ${duration(p50)} or less, 95 of 100 took ${duration(p95)} or less.`;
  return (
    <Lines id="chart-times" title="Time per call" says={says} points={points} ends={ENDS} unit={duration} />
  );
}

function Medians({ overview }: { readonly overview: Overview }) {
  const { p50, p95 } = overview.whole;
  if (p50 === null || p95 === null) return null;
  return (
    <span class="num">
      p50 {duration(p50)} · p95 {duration(p95)}
    </span>
  );
}

function Machines({ machines }: { readonly machines: readonly HomeMachine[] }) {
  if (machines.length === 0) {
    return (
      <Empty title="No machine is paired">
        A machine gives your models its files and its terminal. <a href="/machines">Pair one</a>.
      </Empty>
    );
  }
  return (
    <table>
      <caption class="unseen">Machines and whether they are online</caption>
      <tbody>
        {machines.map(({ name, online, since }) => (
          <tr>
            <td>{visible(name, 64)}</td>
            <td>
              <Badge tone={online ? 'good' : 'calm'}>{online ? 'online' : 'offline'}</Badge>{' '}
              <span class="quiet small">
                {since === null ? (
                  'never seen'
                ) : (
                  <>
                    {online ? 'connected' : 'last seen'} <Ago at={since} />
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const ENDS = [`${HOURS} hours ago`, 'now'] as const;

function hours() {
  return Array.from({ length: HOURS }, (_, slot) => {
    const ago = HOURS - 1 - slot;
    return { slot, label: ago === 0 ? 'this hour' : `${ago} ${ago === 1 ? 'hour' : 'hours'} ago` };
  });
}
