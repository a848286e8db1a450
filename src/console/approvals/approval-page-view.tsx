import { visible, visibleLine } from '../../core/visible.ts';
import type { AlwaysOffer } from '../../gate/always.ts';
import { previewOf } from '../../gate/approval-gist.ts';
import { withoutPrompt } from '../../gate/approval-text.ts';
import type { ApprovalView } from '../../gate/approval-view.ts';
import type { Before, Tally } from '../../gate/came-before.ts';
import { MAX_NOTE_CHARS } from '../../gate/messages.ts';
import { LendCard } from '../loans/loan-views.tsx';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Card, Csrf, Facts, Left } from '../parts/parts.tsx';
import { Risk } from '../parts/risk.tsx';
import { AlwaysCard } from './approval-always.tsx';
import {
  AskedSentence,
  Decided,
  FactList,
  foldedLines,
  Gist,
  hidesArguments,
  State,
  Unseen,
  yesFor,
} from './approval-parts.tsx';

type OneApproval = ApprovalView & {
  readonly before: Before;
  /** True if a caller is held until the owner decides. */
  readonly held: boolean;
  /** The call that it let run. */
  readonly ran: {
    readonly seq: number;
    readonly outcome: string | null;
    readonly code: string | null;
  } | null;
};

interface OneProps {
  readonly approval: OneApproval;
  readonly csrf: string;
  /** The widths that "always" could have. */
  readonly always: readonly AlwaysOffer[];
  readonly problem?: string | undefined;
  /** The approval that was decided just before. */
  readonly after?: ApprovalView | undefined;
}

/**
 * Shows one call, what it would do, and the decision: first what a glance is enough for, then all the rest.
 */
export function ApprovalPage({ approval, csrf, always, problem, after }: OneProps) {
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      {after ? <Decided approval={after} next /> : null}
      <Card id="approval" live>
        <h1 class="question">
          <AskedSentence sentence={approval.sentence} />
        </h1>
        <Standing approval={approval} />
        {approval.reason === null ? null : (
          <p class="reason">
            Its reason: <q>{visible(approval.reason, MAX_NOTE_CHARS)}</q>
          </p>
        )}
        <Gist approval={approval} />
        <Unseen approval={approval} />
        {approval.state === 'pending' || (approval.state === 'approved' && !approval.held) ? (
          <Decision {...{ approval, csrf }} />
        ) : (
          <FactList approval={approval} unusual />
        )}
        <Ran ran={approval.ran} />
      </Card>
      {approval.state === 'pending' && approval.lends !== null ? (
        <LendCard session={approval.lends} {...{ approval, csrf }} />
      ) : null}
      {approval.state === 'pending' ? <AlwaysCard code={approval.code} csrf={csrf} offers={always} /> : null}
      <Effects approval={approval} />
      <CameBefore before={approval.before} />
      <Card title="All details">
        <WholeCall approval={approval} />
      </Card>
    </>
  );
}

function Standing({ approval }: { readonly approval: ApprovalView }) {
  const { state, risk, expiresAt, openedAt, decidedAt, code, note } = approval;
  return (
    <>
      <p class="standing small">
        <State state={state} /> <Risk risk={risk} />{' '}
        <span class="quiet">
          <span class="mono unbroken">{code}</span> · asked <Ago at={openedAt} />
          {state === 'pending' ? (
            <>
              {' '}
              · <Left until={expiresAt} />
            </>
          ) : null}
          {decidedAt === null ? null : (
            <>
              {' '}
              · decided <Ago at={decidedAt} />
            </>
          )}
        </span>
      </p>
      {note === null ? null : (
        <p class="reason">
          You said: <q>{visible(note, MAX_NOTE_CHARS)}</q>
        </p>
      )}
    </>
  );
}

function Decision({ approval, csrf }: Pick<OneProps, 'approval' | 'csrf'>) {
  const isOpen = approval.state === 'pending';
  const folded = foldedLines(approval);
  const yes = yesFor(approval);
  const action = `/approvals/${approval.code}`;
  return (
    <>
      {/* It has no box of its own, so that its buttons stay in view as long as any part of the card does. */}
      <form class="decision" method="post" action={action}>
        <Csrf value={csrf} />
        <div class="decide">
          {/* Beside the buttons, so that a long diff cannot push a warning out of sight. */}
          <FactList approval={approval} unusual />
          {folded === 0 ? null : (
            <p class="small folded">
              <strong>Not everything is shown above:</strong>{' '}
              {folded === 1 ? '1 line is' : `${folded} lines are`} folded.
            </p>
          )}
          <p class="row">
            <button class="main" type="submit" name="decision" value={yes.decision}>
              {yes.text}
            </button>
            <button type="submit" name="decision" value="deny">
              Deny
            </button>
            {/* Only three buttons fit on a phone. The card about "always" follows the one about the hour. */}
            {isOpen ? (
              <a class="button" href={approval.lends === null ? '#always' : '#lend'}>
                {approval.lends === null ? 'Always…' : 'Longer…'}
              </a>
            ) : null}
          </p>
          <p class="small quiet held">
            {approval.held ? (
              'The caller is waiting for your answer.'
            ) : isOpen ? (
              <>
                The caller is no longer waiting.{' '}
                <button class="plain" type="submit" name="decision" value="approve">
                  Allow when asked again
                </button>
              </>
            ) : (
              'The caller has not asked again yet.'
            )}
          </p>
        </div>
      </form>
      {/* A separate form, because Enter in its field presses the form's first button, and that must not be a
          yes. */}
      <details class="why-not">
        <summary>Deny and tell the model why</summary>
        <form method="post" action={action}>
          <Csrf value={csrf} />
          <label for="note">Message to the model</label>
          <input
            id="note"
            name="note"
            maxlength={MAX_NOTE_CHARS}
            placeholder="use pnpm instead"
            autocomplete="off"
          />
          <button type="submit" name="decision" value="deny">
            Deny with this message
          </button>
        </form>
      </details>
    </>
  );
}

function Ran({ ran }: Pick<OneApproval, 'ran'>) {
  if (!ran) return null;
  const { seq, outcome, code } = ran;
  return (
    <p>
      {outcome === null ? 'Running' : `It ran: ${visible(code ?? outcome, 60)}`}.{' '}
      <a href={`/ledger/${seq}`}>Show the call</a>
    </p>
  );
}

/** Shows what the call would touch, and what else the preview found. */
function Effects({ approval }: { readonly approval: ApprovalView }) {
  const preview = previewOf(approval);
  const usual = preview?.facts.some(({ unusual }) => !unusual);
  if (!preview || (!usual && preview.files === null)) return null;
  return (
    <Card title="What it would do">
      {preview.files === null ? null : preview.files.length === 0 ? (
        <p>No files affected.</p>
      ) : (
        <ul class="affected">
          {preview.files.map(({ path, change }) => (
            <li>
              <Badge tone={change === 'delete' ? 'bad' : 'calm'}>{change}</Badge>{' '}
              <span class="mono">{visibleLine(path)}</span>
            </li>
          ))}
        </ul>
      )}
      <FactList approval={approval} unusual={false} />
    </Card>
  );
}

function CameBefore({ before: { same, like } }: { readonly before: Before }) {
  return (
    <Card title="Earlier calls">
      {same ? (
        <p>
          This exact call: <Times tally={same} />
        </p>
      ) : (
        <p>This exact call was never made before.</p>
      )}
      {like ? (
        <p>
          Other calls of <code>{visible(like.what, 80)}</code>: <Times tally={like} />
        </p>
      ) : null}
    </Card>
  );
}

function Times({ tally: { times, ok, last } }: { readonly tally: Tally }) {
  return (
    <>
      {times === 1 ? 'once' : `${times} times, ${ok} of them ok`}.{' '}
      <a href={`/ledger/${last.seq}`}>
        The last, <Ago at={last.at} />
      </a>
      : {visible(last.ended, 80)}.
    </>
  );
}

function WholeCall({ approval }: { readonly approval: ApprovalView }) {
  const { client, principal, machine, root, tool } = approval;
  return (
    <>
      <Facts
        facts={[
          ['Tool', visible(tool, 80)],
          ['Asked by', visible(client, 80)],
          ['Signed in as', <span class="mono">{visible(principal, 120)}</span>],
          ['Runs on', machine === null ? 'the gateway' : visible(machine, 80)],
          ...(root === null ? [] : [['Folder', visible(root, 128)] as const]),
        ]}
      />
      <details open={hidesArguments(approval) && approval.full.length <= 4_000}>
        <summary>All arguments</summary>
        <pre class="shown">{withoutPrompt(approval.full)}</pre>
      </details>
      <p class="links">
        <a href="/approvals">All approvals</a>
      </p>
    </>
  );
}
