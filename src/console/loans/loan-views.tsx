import { visible, visibleLine } from '../../core/visible.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import type { ShownLoan } from '../../gate/loans.ts';
import { LIVE } from '../parts/page-names.ts';
import { Ago, Badge, Card, Csrf, Left } from '../parts/parts.tsx';

interface Props {
  readonly loans: readonly ShownLoan[];
  readonly csrf: string;
  /** The page to come back to. */
  readonly from: '/' | '/machines';
  /** False on the answer to a form, because such an answer has no address to load itself from again. */
  readonly live?: boolean;
}

/** Lists the terminals that are lent now, with what was typed into them. A live part of a page also while there is none. */
export function LentTerminals({ loans, csrf, from, live = true }: Props) {
  if (loans.length === 0) return live ? <div id="lent" {...{ [LIVE]: true }} /> : null;
  return (
    <Card title="Lent terminals" id="lent" live={live} aside={<Badge tone="warn">run without asking</Badge>}>
      <ul class="asks">
        {loans.map((loan) => (
          <LentTerminal loan={loan} csrf={csrf} from={from} />
        ))}
      </ul>
    </Card>
  );
}

function LentTerminal({ loan, csrf, from }: Omit<Props, 'loans' | 'live'> & { readonly loan: ShownLoan }) {
  const { id, client, machine, session, endsAt, seq, sends, last } = loan;
  const shown = visible(session, 40);
  return (
    <li class="ask whole">
      <div>
        {visibleLine(client, 60)} types into <code>{shown}</code>
        {machine === null ? null : <> on {visibleLine(machine, 64)}</>}
        <div class="small quiet">
          <Left until={endsAt} /> · <a href={`/ledger/${seq}`}>lent with this call</a> ·{' '}
          {sends === 0 ? 'nothing typed yet' : sends === 1 ? 'typed once' : `typed ${sends} times`}
        </div>
      </div>
      <form method="post" action="/loans/take-back">
        <Csrf value={csrf} />
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="from" value={from} />
        <button class="danger" type="submit" aria-label={`Take back ${shown}`}>
          Take back
        </button>
      </form>
      {last.length === 0 ? null : (
        <ul class="peeked typed">
          {last.map((one) => (
            <li>
              <a href={`/ledger/${one.seq}`}>
                <code>{one.typed}</code>
              </a>{' '}
              <span class="small quiet">
                <Ago at={one.at} />
                {one.outcome === null
                  ? ', runs'
                  : one.outcome === 'ok'
                    ? ''
                    : `, ${visible(one.outcome, 40)}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface LendProps {
  readonly approval: Pick<ApprovalView, 'code' | 'client' | 'shown'>;
  readonly session: string;
  readonly csrf: string;
}

/** Offers to lend the terminal of a waiting call. */
export function LendCard({ approval: { code, client, shown }, session, csrf }: LendProps) {
  const who = visibleLine(client, 60);
  const isFree = 'preview' in shown && shown.preview.sandboxed !== true;
  return (
    <Card id="lend" title="This terminal, for an hour" aside="approves this call as well">
      <p>
        Whatever {who} types into <code>{visible(session, 40)}</code> within the hour runs without asking:
        commands, keys, answers to programs. What a rule of yours denies or asks about is still denied or
        asked. What waits for this terminal now runs as well, unless you deny it. The loan ends with the
        terminal, and when you take it back, here or with <code>bowline loans</code>.{' '}
        {isFree ? (
          <strong class="warned">It runs without a sandbox, with all rights of your user.</strong>
        ) : null}
      </p>
      <form method="post" action={`/approvals/${code}`}>
        <Csrf value={csrf} />
        <p class="row loose">
          <button type="submit" name="decision" value="lend">
            Approve and lend it
          </button>
        </p>
      </form>
    </Card>
  );
}
