import { visible } from '../../core/visible.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import { Ago, Csrf, Left } from '../parts/parts.tsx';
import { Risk } from '../parts/risk.tsx';
import {
  AskedSentence,
  FactList,
  foldedLines,
  Gist,
  hidesArguments,
  Unseen,
  yesFor,
} from './approval-parts.tsx';

/** A call that waits. `held` is true if a caller is held until the owner decides. */
export type WaitingAsk = ApprovalView & { readonly held: boolean };

interface Props {
  readonly approvals: readonly WaitingAsk[];
  readonly csrf: string;
}

/** Lists waiting calls, each with what it would do and the buttons to decide about it. */
export function DecidableAsks({ approvals, csrf }: Props) {
  return (
    <ul class="asks">
      {approvals.map((approval) => (
        <li class="ask whole">
          <div>
            <a href={`/approvals/${approval.code}`}>
              <AskedSentence sentence={approval.sentence} />
            </a>
            <div class="small quiet">
              <span class="mono unbroken">{approval.code}</span> · asked <Ago at={approval.openedAt} /> ·{' '}
              <Left until={approval.expiresAt} />
            </div>
          </div>
          <div>
            <Risk risk={approval.risk} />
          </div>
          <div class="peeked">
            <Gist approval={approval} />
            <Unseen approval={approval} />
            <FactList approval={approval} unusual />
            <Buttons approval={approval} csrf={csrf} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Buttons({ approval, csrf }: { readonly approval: WaitingAsk; readonly csrf: string }) {
  const { code } = approval;
  // Offer no yes here if only the approval's own page shows all of the call.
  const isWhole = foldedLines(approval) === 0 && !hidesArguments(approval);
  const yes = yesFor(approval);
  const look = isWhole ? 'More…' : 'See all of it';
  return (
    <form method="post" action={`/approvals/${code}`} class="row">
      <Csrf value={csrf} />
      <input type="hidden" name="from" value="list" />
      {isWhole ? (
        <button
          class="main"
          type="submit"
          name="decision"
          value={yes.decision}
          aria-label={`${yes.text} ${code}`}
        >
          {yes.text}
        </button>
      ) : null}
      <button type="submit" name="decision" value="deny" aria-label={`Deny ${code}`}>
        Deny
      </button>
      <a class="button" href={`/approvals/${code}`} aria-label={`${look} ${code}`}>
        {look}
      </a>
    </form>
  );
}

/** Offers one no for several calls of one caller and one tool. */
export function DenySeveral({ approvals, csrf }: Props) {
  const kinds = Map.groupBy(approvals, ({ principal, client, tool }) =>
    JSON.stringify([principal, client, tool]),
  );
  const several = [...kinds.values()].filter((alike) => alike.length > 1);
  if (several.length === 0) return null;
  return (
    <div class="several">
      {several.map((alike) => (
        <form method="post" action="/approvals">
          <Csrf value={csrf} />
          {alike.map(({ code }) => (
            <input type="hidden" name="code" value={code} />
          ))}
          <button type="submit" name="decision" value="deny">
            Deny all {alike.length} calls of {visible(alike[0]?.tool ?? '', 60)} from{' '}
            {visible(alike[0]?.client ?? '', 40)}
          </button>
        </form>
      ))}
    </div>
  );
}
