import { Hono } from 'hono';
import { formOf, isOwnForm, ownerVisit } from '../auth/owner-session.ts';
import { hasFreshProof } from '../auth/proof.ts';
import { Page } from '../console/layout.tsx';
import { forOwner, notThere } from '../console/owner-page.tsx';
import { page, seeOther } from '../console/respond.ts';
import { ApprovalPage, ApprovalsView } from './approval-views.tsx';
import type { GateRoutePorts } from './owner-routes.ts';

/** Where the owner says yes or no. Looking decides nothing; only the form on a page of ours does. */
export function approvalPages({ auth, gate }: GateRoutePorts): Hono {
  const { origin, owner } = auth;
  const app = new Hono();
  const asOwner = forOwner(auth);

  app.get('/approvals', (c) =>
    asOwner(c, async (visit) =>
      page(
        <Page title="Approvals" csrf={visit.csrf}>
          <ApprovalsView approvals={await gate().approvals()} />
        </Page>,
      ),
    ),
  );

  const show = async (request: Request, code: string, problem?: string) => {
    const visit = await ownerVisit(request, owner());
    if (!visit) return seeOther(`/signin?next=${encodeURIComponent(`/approvals/${code}`)}`);
    const approval = await gate().approval(code);
    if (!approval) {
      const children = (
        <>
          It may be more than a day old. <a href="/approvals">See what waits</a>.
        </>
      );
      return notThere(visit, { title: 'No such approval', within: 'Approvals', children });
    }
    const [proven, always] = await Promise.all([
      hasFreshProof(visit, auth),
      approval.state === 'pending' ? gate().alwaysRule(code) : null,
    ]);
    return page(
      <Page
        title={`Approval ${approval.code}`}
        within="Approvals"
        csrf={visit.csrf}
        scripts={proven ? [] : ['passkeys.js']}
      >
        <ApprovalPage {...{ approval, proven, always, problem }} csrf={visit.csrf} />
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
