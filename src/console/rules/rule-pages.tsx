import { Hono } from 'hono';
import {
  draftIn,
  EMPTY_FORM,
  FORM_FIELDS,
  type FormProblems,
  formOfDraft,
  problemsAt,
  type RuleForm,
} from '../../gate/rules/rule-form.ts';
import { ruleWidens, widens } from '../../gate/rules/rule-widens.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { hasFreshProof } from '../../owner/proof.ts';
import { formForOwner, forOwner, notThere, STALE } from '../access/owner-page.tsx';
import type { GatePagePorts } from '../ledger/ledger-pages.tsx';
import { Page } from '../parts/layout.tsx';
import type { BackTest } from './rule-editor.tsx';
import { RulesView } from './rule-views.tsx';

interface Shown {
  readonly form: RuleForm;
  readonly problems?: FormProblems;
  readonly test?: BackTest | undefined;
  readonly problem?: string | undefined;
  readonly status?: number;
}

/** Serves the owner's rules: the list of them, and the page to write and try one. */
export function rulePages({ auth, gate, toolExists, toolNames }: GatePagePorts): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);
  const onForm = formForOwner(auth);

  const list = async (visit: OwnerVisit, problem?: string, status = 409) => {
    const rules = await gate().rules();
    return page(
      <Page title="Rules" csrf={visit.csrf}>
        <RulesView {...{ rules, problem }} csrf={visit.csrf} now={Date.now()} />
      </Page>,
      { status: problem ? status : 200 },
    );
  };

  const edit = async (visit: OwnerVisit, { form, problems = {}, test, problem, status = 200 }: Shown) => {
    const { machines } = await gate().lately();
    // Few isolates ever show this page, and every start of the Worker would read it.
    const { RuleEditor } = await import('./rule-editor.tsx');
    return page(
      <Page title="New rule" within="Rules" csrf={visit.csrf} scripts={['rules.js']}>
        <RuleEditor {...{ form, problems, test, problem, machines }} csrf={visit.csrf} tools={toolNames()} />
      </Page>,
      { status },
    );
  };

  /** Reads a filled-in form, and tries its rule on past calls. */
  const tried = async (form: RuleForm) => {
    const read = draftIn(form, Date.now());
    if ('problems' in read) return { problems: read.problems };
    const { problems, ...test } = await gate().previewRule(read.draft, toolExists(read.draft.tool));
    // A refused rule was not tried.
    return problems.length > 0 ? { problems: problemsAt(problems, form.kind) } : { draft: read.draft, test };
  };

  app.get('/rules', (c) => asOwner(c, (visit) => list(visit)));

  app.get('/rules/new', (c) =>
    asOwner(c, async (visit) => {
      const { rule, from } = c.req.query();
      if (rule !== undefined) {
        const found = (await gate().rules()).find(({ id }) => id === rule);
        if (!found) return noRule(visit);
        const form = formOfDraft(found, Date.now());
        return edit(visit, { form, ...(await tried(form)) });
      }
      if (from === undefined || !/^\d{1,15}$/.test(from)) return edit(visit, { form: EMPTY_FORM });
      const drafted = await gate().ruleFormOf(Number(from));
      if (!drafted) return edit(visit, { form: EMPTY_FORM, problem: 'There is no such call.', status: 404 });
      if ('problem' in drafted) return edit(visit, { form: EMPTY_FORM, problem: drafted.problem });
      return edit(visit, { form: drafted.form, ...(await tried(drafted.form)) });
    }),
  );

  app.post('/rules/preview', (c) =>
    onForm(
      c,
      '/rules/new',
      (visit) => list(visit, STALE, 403),
      async ({ visit, form }) => {
        const typed = formIn(form);
        return edit(visit, { form: typed, ...(await tried(typed)) });
      },
    ),
  );

  app.post('/rules', (c) =>
    onForm(
      c,
      '/rules/new',
      (visit) => list(visit, STALE, 403),
      async ({ visit, form, askForProof }) => {
        const typed = formIn(form);
        const result = await tried(typed);
        if (!('draft' in result) || !result.draft)
          return edit(visit, { form: typed, ...result, status: 400 });
        const { draft } = result;
        if (widens(draft.effect, true) && !hasFreshProof(visit)) return askForProof();
        const saved = await gate().addRule(draft, toolExists(draft.tool));
        if ('problems' in saved) {
          return edit(visit, { form: typed, problems: problemsAt(saved.problems, typed.kind), status: 400 });
        }
        return seeOther(`/rules#${saved.id}`);
      },
    ),
  );

  app.post('/rules/:id', (c) =>
    onForm(
      c,
      '/rules',
      (visit) => list(visit, STALE, 403),
      async ({ visit, form, askForProof }) => {
        const id = c.req.param('id') ?? '';
        const wanted = form.get('do');
        if (wanted !== 'on' && wanted !== 'off' && wanted !== 'remove') {
          return list(visit, 'Choose on, off or remove.', 400);
        }
        if (!hasFreshProof(visit) && (await ruleWidens(gate(), id, wanted === 'on'))) return askForProof();
        if (wanted === 'remove') return (await gate().removeRule(id)) ? seeOther('/rules') : noRule(visit);
        const found = await gate().switchRule(id, wanted === 'on');
        if (typeof found === 'object') {
          return list(
            visit,
            found.problems.map(({ message, suggestion }) => `${message} ${suggestion}`).join(' '),
          );
        }
        return found ? seeOther(`/rules#${encodeURIComponent(id)}`) : noRule(visit);
      },
    ),
  );
  return app;
}

function formIn(sent: URLSearchParams): RuleForm {
  const texts = FORM_FIELDS.map((name) => [name, (sent.get(name) ?? '').replaceAll('\r\n', '\n')]);
  return { ...EMPTY_FORM, ...Object.fromEntries(texts) };
}

function noRule(visit: OwnerVisit): Promise<Response> {
  const children = <a href="/rules">See all rules</a>;
  return notThere(visit, { title: 'No such rule', within: 'Rules', children });
}
