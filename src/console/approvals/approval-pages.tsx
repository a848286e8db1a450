import { Hono } from 'hono';
import * as z from 'zod';
import type { GateRoutePorts } from '../../api/gate-routes.ts';
import { NARROWEST, type Reach } from '../../gate/always.ts';
import { DECISIONS, type Decision, MAX_NOTE_CHARS } from '../../gate/messages.ts';
import { WIDTHS } from '../../gate/rules/rule-widths.ts';
import { runIfNobodyWaits } from '../../gate/run-late.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { hasFreshProof } from '../../owner/proof.ts';
import { formForOwner, forOwner, notThere } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { ApprovalPage } from './approval-page-view.tsx';
import { ApprovalsView } from './approval-views.tsx';

interface Told {
  readonly problem?: string | undefined;
  /** The code of the approval that was decided just before. */
  readonly after?: string | undefined;
  readonly denied?: number | undefined;
}

const STALE_DECISION = 'That form had expired. Nothing was decided. Decide again here.';

/** The most approvals that the list shows. */
const MAX_SEVERAL = 200;

/** Serves the pages where the owner says yes or no. Only a form from a page of ours decides anything. */
export function approvalPages({ auth, gate, runLate }: GateRoutePorts): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);

  const list = async (visit: OwnerVisit, { problem, after, denied }: Told = {}) => {
    const decided = after === undefined ? undefined : ((await gate().approval(after)) ?? undefined);
    const approvals = await gate().approvals();
    return page(
      <Page title="Approvals" csrf={visit.csrf}>
        <ApprovalsView {...{ approvals, problem, denied }} after={decided} csrf={visit.csrf} />
      </Page>,
      { status: problem ? 409 : 200 },
    );
  };
  app.get('/approvals', (c) =>
    asOwner(c, (visit) => {
      const { after, denied = '' } = c.req.query();
      return list(visit, { after, denied: /^\d{1,3}$/.test(denied) ? Number(denied) : undefined });
    }),
  );

  /**
   * Denies several calls that were shown together. Calls that came after the page was made are not among
   * them.
   */
  app.post('/approvals', (c) =>
    formForOwner(auth)(
      c,
      '/approvals',
      (visit) => list(visit, { problem: STALE_DECISION }),
      async ({ visit, form }) => {
        if (form.get('decision') !== 'deny')
          return list(visit, { problem: 'Several calls at once can only be denied.' });
        const codes = [...new Set(form.getAll('code'))].slice(0, MAX_SEVERAL);
        let denied = 0;
        for (const code of codes) {
          const result = await gate().decide(code, 'deny', visit.session.id, false);
          if (!('refused' in result)) denied += 1;
        }
        return seeOther(`/approvals?denied=${denied}`);
      },
    ),
  );

  const show = async (visit: OwnerVisit, code: string, problem?: string, decided?: string) => {
    const approval = await gate().approval(code);
    if (!approval) {
      const children = (
        <>
          It may be more than a day old. <a href="/approvals">See what waits</a>.
        </>
      );
      return notThere(visit, { title: 'No such approval', within: 'Approvals', children });
    }
    const after = decided === undefined ? undefined : ((await gate().approval(decided)) ?? undefined);
    const always = approval.state === 'pending' ? await gate().alwaysOffers(code) : [];
    return page(
      <Page title={`Approval ${approval.code}`} within="Approvals" csrf={visit.csrf}>
        <ApprovalPage {...{ approval, always, problem, after }} csrf={visit.csrf} />
      </Page>,
      { status: problem ? 409 : 200 },
    );
  };
  app.get('/approvals/:code', (c) =>
    asOwner(c, (visit) => show(visit, c.req.param('code'), undefined, c.req.query('after'))),
  );

  /** Gives the next page: the call that expires next, or the one that was just decided. */
  const onward = async (code: string): Promise<string> => {
    const next = await gate().nextWaiting();
    return next
      ? `/approvals/${next}?after=${encodeURIComponent(code)}`
      : `/approvals/${encodeURIComponent(code)}`;
  };

  app.post('/approvals/:code', (c) => {
    const code = c.req.param('code');
    const path = `/approvals/${encodeURIComponent(code)}`;
    const stale = (visit: OwnerVisit) => show(visit, code, STALE_DECISION);
    return formForOwner(auth)(c, path, stale, async ({ visit, form, askForProof }) => {
      const decision = form.get('decision');
      if (!isDecision(decision)) {
        return show(visit, code, 'Choose approve, deny or always.');
      }
      const note = form.get('note') ?? '';
      if (note.length > MAX_NOTE_CHARS) {
        return show(visit, code, `Nothing was decided. Write at most ${MAX_NOTE_CHARS} characters.`);
      }
      const reach = reachIn(form);
      if (!reach) return show(visit, code, 'Choose what it allows and for how long.');
      const held = decision === 'run' && (await gate().waitsFor(code));
      const result = await gate().decide(code, decision, visit.session.id, hasFreshProof(visit), note, reach);
      if (!('refused' in result)) {
        const ran = decision === 'run' ? await runIfNobodyWaits(held, () => runLate(code)) : undefined;
        if (ran?.kind === 'failed') return show(visit, code, ran.failure.message);
        const isFromList = form.get('from') === 'list';
        return seeOther(isFromList ? `/approvals?after=${encodeURIComponent(code)}` : await onward(code));
      }
      if (result.refused === 'proof_needed') return askForProof();
      return show(visit, code, result.message || 'This call can no longer be decided.');
    });
  });
  return app;
}

function isDecision(value: string | null): value is Decision {
  return DECISIONS.some((one) => one === value);
}

const reachShape = z.object({
  width: z.enum(WIDTHS).default(NARROWEST.width),
  lasts: z.enum(['hour', 'day', 'month']).default(NARROWEST.lasts),
});

/** Reads the reach of an "always". Gives the narrowest if the form names none. */
function reachIn(form: URLSearchParams): Reach | undefined {
  return reachShape.safeParse({
    width: form.get('width') ?? undefined,
    lasts: form.get('lasts') ?? undefined,
  }).data;
}
