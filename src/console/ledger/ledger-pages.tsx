import { Hono } from 'hono';
import * as z from 'zod';
import type { GateRoutePorts } from '../../api/gate-routes.ts';
import type { LedgerFilter } from '../../gate/ledger.ts';
import { page } from '../../http/respond.ts';
import { forOwner, notThere } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { CallView, type LedgerQuestion, LedgerView } from './ledger-views.tsx';

export interface GatePagePorts extends GateRoutePorts {
  /** Lists the wire names of the offered tools. */
  toolNames(): readonly string[];
}

const PAGE = 50;
const seqOf = z.string().regex(/^[1-9]\d{0,14}$/);
const outcomes = z.enum(['ok', 'failed', 'asked', 'running']);

/** Serves the pages about calls: what was called, by whom, and how it ended. */
export function ledgerPages({ auth, gate, toolNames }: GatePagePorts): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);

  app.get('/ledger', (c) =>
    asOwner(c, async (visit) => {
      const question = questionIn((name) => c.req.query(name) ?? '');
      const before = seqOf.safeParse(c.req.query('before'));
      const { filter, problem } = filterOf(question);
      const [found, suggested, counted] = await Promise.all([
        gate().ledger({ ...filter, limit: PAGE, ...(before.success ? { before: Number(before.data) } : {}) }),
        gate().lately(),
        before.success ? [] : gate().counted(),
      ]);
      return page(
        <Page title="Ledger" csrf={visit.csrf}>
          <LedgerView
            entries={found.entries}
            missing={found.missing ?? []}
            counted={counted}
            question={question}
            suggest={{ tools: toolNames(), ...suggested }}
            newer={before.success ? addressOf(question) : undefined}
            older={found.next === null ? undefined : addressOf(question, found.next)}
            problem={problem}
          />
        </Page>,
        { status: problem ? 400 : 200 },
      );
    }),
  );

  app.get('/ledger/:seq', (c) =>
    asOwner(c, async (visit) => {
      const seq = seqOf.safeParse(c.req.param('seq'));
      const call = seq.success ? await gate().call(Number(seq.data)) : null;
      if (!call) {
        const children = <a href="/ledger">See all calls</a>;
        return notThere(visit, { title: 'No such call', within: 'Ledger', children });
      }
      return page(
        <Page title={`Call ${call.seq}`} within="Ledger" csrf={visit.csrf}>
          <CallView call={call} />
        </Page>,
      );
    }),
  );
  return app;
}

function questionIn(text: (name: string) => string): LedgerQuestion {
  const short = (name: string) => text(name).trim().slice(0, 200).toWellFormed();
  return {
    tool: short('tool'),
    client: short('client'),
    machine: short('machine'),
    outcome: outcomes.safeParse(text('outcome')).data ?? '',
    from: short('from'),
    to: short('to'),
  };
}

function filterOf({ tool, client, machine, outcome, from, to }: LedgerQuestion): {
  filter: LedgerFilter;
  problem: string | undefined;
} {
  const said = (text: string) => text || undefined;
  const time = (text: string) => (text === '' ? undefined : Date.parse(`${text}Z`));
  const [since, until] = [time(from), time(to)];
  const filter = { tool: said(tool), client: said(client), machine: said(machine), outcome: said(outcome) };
  if (Number.isNaN(since) || Number.isNaN(until)) {
    return { filter, problem: 'That is not a time. Write it like 2026-01-31T14:30. All calls are shown.' };
  }
  if (since !== undefined && until !== undefined && since >= until) {
    return { filter, problem: 'The first time must be before the second. All times are shown.' };
  }
  return { filter: { ...filter, since, until }, problem: undefined };
}

/** Gives the address of the same query, for older calls. */
function addressOf(question: LedgerQuestion, before?: number): string {
  const said = Object.entries(question).filter(([, text]) => text !== '');
  const query = new URLSearchParams(said);
  if (before !== undefined) query.set('before', String(before));
  return query.size === 0 ? '/ledger' : `/ledger?${query}`;
}
