import { Hono } from 'hono';
import { formOf, isOwnForm, ownerVisit } from '../auth/owner-session.ts';
import { hasFreshProof } from '../auth/proof.ts';
import { Page, Problem } from '../console/layout.tsx';
import { page, seeOther } from '../console/respond.ts';
import { visible } from '../core/visible.ts';
import type { ApprovalView } from './approval-view.ts';
import type { GateRoutePorts } from './owner-routes.ts';

/** Where the owner says yes or no. Looking decides nothing; only the form on a page of ours does. */
export function approvalPages({ auth, gate }: GateRoutePorts): Hono {
  const { origin, owner } = auth;
  const app = new Hono();

  app.get('/approvals', async (c) => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return seeOther('/signin?next=/approvals');
    const approvals = await gate().approvals();
    return page(
      <Page title="Approvals" csrf={visit.csrf}>
        <h1>Approvals</h1>
        <ApprovalList approvals={approvals} />
      </Page>,
    );
  });

  const show = async (request: Request, code: string, problem?: string) => {
    const visit = await ownerVisit(request, owner());
    if (!visit) return seeOther(`/signin?next=${encodeURIComponent(`/approvals/${code}`)}`);
    const approval = await gate().approval(code);
    if (!approval) return notThere(visit.csrf);
    const proven = await hasFreshProof(visit, auth);
    return page(
      <Page title={`Approval ${approval.code}`} csrf={visit.csrf} scripts={proven ? [] : ['passkeys.js']}>
        {problem ? <Problem message={problem} /> : null}
        <ApprovalCard approval={approval} csrf={visit.csrf} proven={proven} />
      </Page>,
      { status: problem ? 409 : 200 },
    );
  };
  app.get('/approvals/:code', (c) => show(c.req.raw, c.req.param('code')));

  app.post('/approvals/:code', async (c) => {
    const code = c.req.param('code');
    const visit = await ownerVisit(c.req.raw, owner());
    const form = await formOf(c.req.raw);
    if (!visit || !isOwnForm(c.req.raw, origin, visit.secret, form.get('csrf'))) {
      return show(c.req.raw, code, 'That form was no longer good. Nothing was decided; decide again here.');
    }
    const decision = form.get('decision');
    if (decision !== 'approve' && decision !== 'deny' && decision !== 'always') {
      return show(c.req.raw, code, 'Choose approve, deny or always.');
    }
    const proven = await hasFreshProof(visit, auth);
    const result = await gate().decide(code, decision, visit.session.id, proven);
    if ('refused' in result) {
      const message = result.refused === 'proof_needed' ? 'Confirm with your passkey first.' : result.message;
      return show(c.req.raw, code, message || 'That can no longer be decided.');
    }
    return seeOther(`/approvals/${encodeURIComponent(code)}`);
  });
  return app;
}

const STATE: Record<ApprovalView['state'], string> = {
  pending: 'waits for you',
  approved: 'approved, runs when the call comes back',
  denied: 'refused',
  consumed: 'approved and run',
  expired: 'ran out undecided',
};

function ApprovalList({ approvals }: { approvals: readonly ApprovalView[] }) {
  if (approvals.length === 0)
    return <p class="quiet">Nothing waits for you, and nothing did in the last day.</p>;
  return (
    <section class="card">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col">By</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {approvals.map((approval) => (
            <tr>
              <td>
                <a href={`/approvals/${approval.code}`}>
                  {approval.tool} <span class="mono">{approval.code}</span>
                </a>
              </td>
              <td>{visible(approval.client, 60)}</td>
              <td>{STATE[approval.state]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ApprovalCard({ approval, csrf, proven }: { approval: ApprovalView; csrf: string; proven: boolean }) {
  const waits = approval.state === 'pending';
  const needsProof = approval.risk === 'dangerous' && !proven;
  return (
    <section class="card">
      <h1>
        {approval.tool} <span class="quiet mono">{approval.code}</span>
      </h1>
      <dl class="facts">
        <dt>Asked by</dt>
        <dd>{visible(approval.client, 80)}</dd>
        <dt>Machine</dt>
        <dd>
          {approval.machine === null
            ? 'the gateway, or the only machine online'
            : visible(approval.machine, 80)}
        </dd>
        <dt>Risk</dt>
        <dd>{approval.risk}</dd>
        <dt>State</dt>
        <dd>{STATE[approval.state]}</dd>
      </dl>
      <pre class="shown">{approval.text}</pre>
      <details>
        <summary>Every argument, whole</summary>
        <pre class="shown">{approval.full}</pre>
      </details>
      {waits && !proven ? <ConfirmForm csrf={csrf} dangerous={needsProof} /> : null}
      {waits ? (
        <form method="post" action={`/approvals/${approval.code}`}>
          <input type="hidden" name="csrf" value={csrf} />
          <p class="row">
            <button class="main" type="submit" name="decision" value="approve" disabled={needsProof}>
              Approve once
            </button>
            <button type="submit" name="decision" value="deny">
              Deny
            </button>
            <button type="submit" name="decision" value="always" disabled={!proven}>
              Always
            </button>
          </p>
          <p class="quiet small">
            “Always” approves this call and writes the narrowest rule that lets it run again for 30 days.
          </p>
        </form>
      ) : null}
    </section>
  );
}

function ConfirmForm({ csrf, dangerous }: { csrf: string; dangerous: boolean }) {
  return (
    <form data-passkey="confirm" hidden>
      <input type="hidden" name="csrf" value={csrf} />
      <p class="notice">
        {dangerous ? 'This call can do damage.' : '“Always” lets calls run without you.'} Confirm with your
        passkey that it is you.
      </p>
      <p class="row">
        <button type="submit">Confirm with a passkey</button>
      </p>
      <p role="alert" class="small" />
    </form>
  );
}

function notThere(csrf: string): Promise<Response> {
  return page(
    <Page title="No such approval" csrf={csrf}>
      <h1>No such approval</h1>
      <p>
        It may be more than a day old. <a href="/approvals">See what waits</a>.
      </p>
    </Page>,
    { status: 404 },
  );
}
