import { Hono } from 'hono';
import * as z from 'zod';
import { doorFailure, type Failure } from '../core/failure.ts';
import { NARROWEST } from '../gate/always.ts';
import { pushKeys } from '../gate/announce.ts';
import { awaitNews } from '../gate/await-news.ts';
import type { GateStub } from '../gate/gate-stub.ts';
import { DECISIONS, MAX_NOTE_CHARS } from '../gate/messages.ts';
import { ruleDraft } from '../gate/rules/rule-draft.ts';
import { ruleWidens, widens } from '../gate/rules/rule-widens.ts';
import { WIDTHS } from '../gate/rules/rule-widths.ts';
import { type LateRun, runIfNobodyWaits } from '../gate/run-late.ts';
import { type SettingName, settingShapes } from '../gate/settings.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly, signInRequired } from '../owner/owner-http.ts';
import { ownerVisit } from '../owner/owner-session.ts';
import { hasFreshProof, proofNeeded } from '../owner/proof.ts';

const decisionBody = z.strictObject({
  decision: z.enum(DECISIONS),
  /** The owner's sentence to the caller, with a no. */
  note: z.string().max(MAX_NOTE_CHARS).optional(),
  /** The reach of an "always", and for how long it holds. */
  width: z.enum(WIDTHS).default(NARROWEST.width),
  lasts: z.enum(['hour', 'day', 'month']).default(NARROWEST.lasts),
});
const switchBody = z.strictObject({ enabled: z.boolean() });
const whole = z.coerce.number().int().min(0);
const ledgerQuery = z.strictObject({
  tool: z.string().max(64).optional(),
  principal: z.string().max(200).optional(),
  outcome: z.enum(['ok', 'failed', 'asked', 'running']).optional(),
  // Calls from a backup are numbered below zero.
  before: z.coerce.number().int().optional(),
  since: whole.optional(),
  limit: whole.max(200).optional(),
});
const feedQuery = z.strictObject({ after: whole.default(0), wait: whole.max(25).default(0) });

export interface GateRoutePorts {
  readonly auth: AuthPorts;
  gate(): GateStub;
  /** Runs an approved call after its caller has left. */
  runLate(code: string): Promise<LateRun>;
  /** Tells if the gateway offers a tool of that wire name. */
  toolExists(name: string): boolean;
  /** Tells every client that the list of tools changed. */
  listChanged(): void;
}

/** Serves approvals, rules, ledger and settings, for the console and for the owner's `bowline` commands. */
export function gateOwnerRoutes({ auth, gate, runLate, toolExists, listChanged }: GateRoutePorts): Hono {
  const app = new Hono();
  const asOwner = ownerOnly(auth);

  app.get('/approvals', (c) =>
    asOwner(c, async () => ok({ approvals: await gate().approvals(c.req.query('state')) })),
  );
  app.get('/approvals/:code', (c) =>
    asOwner(c, async () => {
      const approval = await gate().approval(c.req.param('code'));
      return approval ? ok(approval) : failed(missing('approval'));
    }),
  );
  app.get('/approvals/:code/always', (c) =>
    asOwner(c, async () => ok({ widths: await gate().alwaysOffers(c.req.param('code')) })),
  );
  app.post('/approvals/:code', (c) =>
    asOwner(c, async (visit) => {
      const body = await bodyOf(c.req.raw, decisionBody);
      if ('failure' in body) return failed(body.failure);
      const proven = hasFreshProof(visit);
      const { decision, note, width, lasts } = body.value;
      const held = decision === 'run' && (await gate().waitsFor(c.req.param('code')));
      const result = await gate().decide(c.req.param('code'), decision, visit.session.id, proven, note, {
        width,
        lasts,
      });
      if ('refused' in result) return failed(refusedDecision(result.refused, result.message));
      if (decision !== 'run') return ok(result);
      const ran = await runIfNobodyWaits(held, () => runLate(c.req.param('code')));
      return ran.kind === 'failed' ? failed(ran.failure) : ok({ ...result, outcome: ran.kind });
    }),
  );
  app.get('/loans', (c) => asOwner(c, async () => ok({ loans: await gate().loans() })));
  app.delete('/loans', (c) => asOwner(c, async () => ok({ taken_back: await auth.endLoans({}) })));
  app.delete('/loans/:id', (c) =>
    asOwner(c, async () => {
      const count = await auth.endLoans({ id: c.req.param('id') });
      return count > 0 ? ok({ taken_back: count }) : failed(missing('loan'));
    }),
  );
  app.get('/feed', (c) =>
    asOwner(c, async () => {
      const query = feedQuery.safeParse(c.req.query());
      if (!query.success)
        return failed(doorFailure('invalid_input', { message: 'after and wait are whole numbers.' }));
      const { after, wait } = query.data;
      const { signal } = c.req.raw;
      const news = await awaitNews(gate, (stub) => stub.feed(-1, 0), after, { ms: wait * 1000, signal });
      // The session may have ended during the wait.
      return (await ownerVisit(c.req.raw, auth.owner())) ? ok(news) : failed(signInRequired);
    }),
  );

  app.get('/rules', (c) => asOwner(c, async () => ok({ rules: await gate().rules() })));
  app.post('/rules/preview', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, ruleDraft);
      if ('failure' in body) return failed(body.failure);
      return ok(await gate().previewRule(body.value, toolExists(body.value.tool)));
    }),
  );
  app.post('/rules', (c) =>
    asOwner(c, async (visit) => {
      const body = await bodyOf(c.req.raw, ruleDraft);
      if ('failure' in body) return failed(body.failure);
      if (widens(body.value.effect, true) && !hasFreshProof(visit)) return failed(proofNeeded);
      const result = await gate().addRule(body.value, toolExists(body.value.tool));
      return 'problems' in result ? failed(unfitRule(result.problems)) : ok(result);
    }),
  );
  app.post('/rules/:id', (c) =>
    asOwner(c, async (visit) => {
      const body = await bodyOf(c.req.raw, switchBody);
      if ('failure' in body) return failed(body.failure);
      const id = c.req.param('id');
      if (!hasFreshProof(visit) && (await ruleWidens(gate(), id, body.value.enabled)))
        return failed(proofNeeded);
      const found = await gate().switchRule(id, body.value.enabled);
      if (typeof found === 'object') return failed(unfitRule(found.problems));
      return found ? ok({ enabled: body.value.enabled }) : failed(missing('rule'));
    }),
  );
  app.delete('/rules/:id', (c) =>
    asOwner(c, async (visit) => {
      const id = c.req.param('id');
      if (!hasFreshProof(visit) && (await ruleWidens(gate(), id, false))) return failed(proofNeeded);
      return (await gate().removeRule(id)) ? ok({ removed: true }) : failed(missing('rule'));
    }),
  );

  app.get('/ledger', (c) =>
    asOwner(c, async () => {
      const query = ledgerQuery.safeParse(c.req.query());
      if (query.success) {
        const page = await gate().ledger(query.data);
        return ok(query.data.before === undefined ? { ...page, counted: await gate().counted() } : page);
      }
      const [issue] = query.error.issues;
      return failed(
        doorFailure('invalid_input', { message: `${issue?.path.join('.')}: ${issue?.message}.` }),
      );
    }),
  );

  app.get('/ledger/archive', (c) =>
    asOwner(c, async () => {
      const after = whole.safeParse(c.req.query('after') ?? 0);
      return after.success
        ? ok(await gate().archived(after.data))
        : failed(doorFailure('invalid_input', { message: 'after is a whole number.' }));
    }),
  );
  app.get('/ledger/archive/:piece', (c) =>
    asOwner(c, async () => {
      const piece = whole.safeParse(c.req.param('piece'));
      const file = piece.success ? await gate().archivedFile(piece.data) : null;
      return file === null ? failed(missing('piece')) : ok({ file });
    }),
  );

  app.get('/push-key', (c) => asOwner(c, async () => ok({ key: (await pushKeys(gate())).publicKey })));
  app.get('/settings/:name', (c) =>
    asOwner(c, async () => {
      const name = c.req.param('name');
      return isOpenSetting(name)
        ? ok({ value: (await gate().setting(name)) ?? null })
        : failed(missing('setting'));
    }),
  );
  app.put('/settings/:name', (c) =>
    asOwner(c, async () => {
      const name = c.req.param('name');
      if (!isOpenSetting(name)) return failed(missing('setting'));
      const body = await bodyOf(c.req.raw, z.strictObject({ value: settingShapes[name] }));
      if ('failure' in body) return failed(body.failure);
      await gate().changeSetting(name, body.value.value);
      if (name === 'groups_off') listChanged();
      return ok({ saved: true });
    }),
  );
  return app;
}

/** Settings that only the gate uses. The signing key among them never leaves it. */
const INNER_SETTINGS = ['vapid', 'machine_names', 'machine_past_names'] as const;

function isOpenSetting(name: string): name is Exclude<SettingName, (typeof INNER_SETTINGS)[number]> {
  return Object.hasOwn(settingShapes, name) && !INNER_SETTINGS.some((inner) => inner === name);
}

function refusedDecision(code: string, message: string): Failure {
  if (code === 'proof_needed') return proofNeeded;
  if (code === 'not_found') return missing('approval');
  return {
    code,
    http_status: 409,
    message,
    suggestion: 'Look at the list of approvals for what still waits.',
  };
}

function unfitRule(problems: readonly { code: string; message: string; suggestion: string }[]): Failure {
  const [first] = problems;
  return {
    code: first?.code ?? 'invalid_rule',
    http_status: 400,
    message: problems.map((problem) => problem.message).join(' '),
    suggestion: problems.map((problem) => problem.suggestion).join(' '),
  };
}

function missing(what: string): Failure {
  return {
    code: 'not_found',
    http_status: 404,
    message: `There is no such ${what}.`,
    suggestion: `List the ${what}s to see what there is.`,
  };
}
