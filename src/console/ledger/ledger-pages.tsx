import { Hono } from 'hono';
import * as z from 'zod';
import { machineTools } from '../../../contracts/index.ts';
import type { GateRoutePorts } from '../../api/gate-routes.ts';
import type { Caller, Result } from '../../core/call.ts';
import type { LedgerFilter, WholeEntry } from '../../gate/ledger.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { formForOwner, forOwner, notThere, STALE } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { approvalPathOf, ownerAtConsole } from '../tools/tool-run.ts';
import { CallView } from './call-view.tsx';
import { type LedgerQuestion, LedgerView } from './ledger-views.tsx';

export interface GatePagePorts extends GateRoutePorts {
  /** Lists the wire names of the offered tools. */
  toolNames(): readonly string[];
}

interface LedgerPagePorts extends GatePagePorts {
  /** Runs a tool as its owner, through the door. */
  callTool(name: string, args: object, caller: Caller): Promise<Result | undefined>;
}

const PAGE = 50;
const seqOf = z.string().regex(/^[1-9]\d{0,14}$/);
const outcomes = z.enum(['ok', 'failed', 'asked', 'running']);

/** Serves the pages about calls: what was called, by whom, and how it ended. */
export function ledgerPages({ auth, gate, toolNames, callTool }: LedgerPagePorts): Hono {
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
      const call = await callNamed(c.req.param('seq'));
      return call ? showCall(visit, call) : noSuchCall(visit);
    }),
  );

  /** Asks to undo a call, as any caller would. The owner sees the diff on the approval's page, and decides there. */
  app.post('/ledger/:seq/undo', (c) => {
    const seq = c.req.param('seq');
    const stale = async (visit: OwnerVisit) => {
      const call = await callNamed(seq);
      return call ? showCall(visit, call, { message: STALE }, 403) : noSuchCall(visit);
    };
    return formForOwner(auth)(c, `/ledger/${encodeURIComponent(seq)}`, stale, async ({ visit }) => {
      const call = await callNamed(seq);
      if (!call) return noSuchCall(visit);
      if (!canUndo(call)) return showCall(visit, call, NOTHING_TO_UNDO, 409);
      const args = { call_id: call.id, machine: call.machine, ...rootOf(call), repeat: true };
      const result = await callTool('undo_call', args, ownerAtConsole(c.req.raw.signal));
      const approval = result && approvalPathOf(result, auth.origin);
      if (approval !== undefined) return seeOther(approval);
      const problem = result?.kind === 'failed' ? result.failure : NOTHING_TO_UNDO;
      return showCall(visit, call, problem, 409);
    });
  });
  return app;

  async function callNamed(text: string): Promise<WholeEntry | null> {
    const seq = seqOf.safeParse(text);
    return seq.success ? gate().call(Number(seq.data)) : null;
  }
}

type Problem = Parameters<typeof CallView>[0]['problem'];

const NOTHING_TO_UNDO = { message: 'There is nothing to undo of this call.' };

function showCall(visit: OwnerVisit, call: WholeEntry, problem?: Problem, status = 200) {
  return page(
    <Page title={`Call ${call.seq}`} within="Ledger" csrf={visit.csrf}>
      <CallView {...{ call, problem }} csrf={visit.csrf} canUndo={canUndo(call)} />
    </Page>,
    { status },
  );
}

function noSuchCall(visit: OwnerVisit) {
  const children = <a href="/ledger">See all calls</a>;
  return notThere(visit, { title: 'No such call', within: 'Ledger', children });
}

/** Tells if a call of ours says that it changed files on a machine. Tools of other servers keep no earlier content. */
function canUndo({ tool, machine, files = [] }: WholeEntry): boolean {
  return machine !== null && files.length > 0 && Object.hasOwn(machineTools, tool);
}

function rootOf({ args }: WholeEntry): { readonly root?: string } {
  const { root } = JSON.parse(args);
  return typeof root === 'string' ? { root } : {};
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
