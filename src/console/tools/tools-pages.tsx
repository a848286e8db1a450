import { Hono } from 'hono';
import { type AnyContract, describedWhole } from '../../../contracts/contract.ts';
import { REPLAYED, replayLine } from '../../../contracts/machine-fields.ts';
import type { Result } from '../../core/call.ts';
import { inputSchema } from '../../core/schema.ts';
import type { Tool, ToolSet } from '../../core/tools.ts';
import { visible } from '../../core/visible.ts';
import { page } from '../../http/respond.ts';
import type { JoinedOffer } from '../../joined/joined-offer.ts';
import { isJoinedName } from '../../joined/names.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { formForOwner, forOwner, notThere, STALE } from '../access/owner-page.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { Badge, Card, Heading } from '../parts/parts.tsx';
import { argsOf, type Field, fieldsOf, inputName, textsOf } from './form-args.ts';
import { type Places, SameAgain, TryIt } from './tool-form.tsx';
import { approvalPathOf, ownerAtConsole } from './tool-run.ts';
import { Errors, Examples, Promises, Prose, Schemas, shownJson, ToolList } from './tool-views.tsx';

interface Ports {
  readonly auth: AuthPorts;
  readonly tools: ToolSet;
  readonly joined: JoinedOffer;
  machines(): Promise<
    readonly { readonly name: string; readonly roots: readonly { readonly name: string }[] }[]
  >;
}

interface Ran {
  readonly result: Result;
  readonly ms: number;
}

/** The parts of a tool's page besides its contract. */
interface Shown {
  readonly texts: ReadonlyMap<string, string>;
  readonly ran?: Ran;
  readonly problem?: string;
}

/** Serves the catalogue to its owner: each tool's contract, and a form to try it. */
export function toolsPages({ auth, tools, joined, machines }: Ports): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);
  const onForm = formForOwner(auth);
  const toolCalled = async (name: string): Promise<Tool | undefined> =>
    tools.get(name) ?? (await joined.find(name));

  app.get('/catalogue', (c) =>
    asOwner(c, async (visit) => {
      const all = [...tools.values(), ...(await joined.list()).tools.values()];
      return page(
        <Page title="Tools" csrf={visit.csrf}>
          <Heading title="Tools">
            What models can do through this address, and what each tool promises.
          </Heading>
          <ToolList contracts={all.map(({ contract }) => contract)} />
        </Page>,
      );
    }),
  );
  app.get('/catalogue/:name', (c) =>
    asOwner(c, async (visit) => {
      const contract = (await toolCalled(c.req.param('name')))?.contract;
      if (!contract) return noSuchTool(visit);
      return show(visit, contract, { texts: exampleTexts(contract, c.req.query('example')) });
    }),
  );
  app.post('/catalogue/:name', async (c) => {
    const name = c.req.param('name');
    const stale = async (visit: OwnerVisit) => {
      const tool = await toolCalled(name);
      return tool ? show(visit, tool.contract, { texts: new Map(), problem: STALE }, 403) : noSuchTool(visit);
    };
    return onForm(c, `/catalogue/${encodeURIComponent(name)}`, stale, async ({ visit, form }) => {
      const tool = await toolCalled(name);
      if (!tool) return noSuchTool(visit);
      const { contract } = tool;
      const fields = fieldsOf(inputSchema(contract));
      const texts = sentTexts(fields, form);
      const args = argsOf(fields, form);
      if ('problem' in args) return show(visit, contract, { texts, problem: args.problem }, 400);
      const began = Date.now();
      const result = await tool.call(args.args, ownerAtConsole(c.req.raw.signal));
      return show(visit, contract, { texts, ran: { result, ms: Date.now() - began } });
    });
  });
  return app;

  /** Gives what may stand in the fields that name a machine and its folders. */
  async function placesFor({ runsOn, wireName }: AnyContract): Promise<Places> {
    if (runsOn !== 'machine' || isJoinedName(wireName)) return {};
    const all = await machines();
    const roots = all.flatMap((machine) => machine.roots.map(({ name }) => name));
    return { machine: all.map(({ name }) => name), root: [...new Set(roots)] };
  }

  async function show(visit: OwnerVisit, contract: AnyContract, shown: Shown, status = 200) {
    const fields = fieldsOf(inputSchema(contract));
    const form = { contract, fields, texts: shown.texts, csrf: visit.csrf };
    const places = await placesFor(contract);
    const title = visible(contract.title, 100);
    return page(
      <Page title={title} within="Tools" csrf={visit.csrf}>
        <nav class="crumbs" aria-label="Where this is">
          <a href="/catalogue">Tools</a>
        </nav>
        <Heading title={title}>
          <Prose text={describedWhole(contract)} />
        </Heading>
        {shown.problem ? <Problem message={visible(shown.problem)} /> : null}
        {shown.ran ? <Outcome {...shown.ran} {...form} origin={auth.origin} /> : null}
        <TryIt {...form} places={places} />
        <Promises contract={contract} />
        {isJoinedName(contract.wireName) ? null : <Examples contract={contract} />}
        <Errors errors={contract.errors} />
        <Schemas contract={contract} />
      </Page>,
      { status },
    );
  }
}

type OutcomeProps = Ran &
  Parameters<typeof SameAgain>[0] & {
    readonly origin: string;
  };

/** Shows how a call ended, as data, because its content may come from anywhere. */
function Outcome({ result, ms, origin, ...form }: OutcomeProps) {
  if (result.kind === 'ok') {
    const headline = form.contract.headline?.(result.output);
    const replayed = replayLine(result.output);
    return (
      <Card title="Result" id="result" aside={<Badge tone="good">{ms} ms</Badge>}>
        {replayed ? <p class="notice">{replayed}</p> : null}
        {headline ? <p>{visible(headline, 500)}</p> : null}
        <pre class="shown">{shownJson(result.output)}</pre>
      </Card>
    );
  }
  if (result.kind === 'failed') {
    const { code, message, suggestion, http_status, replayed } = result.failure;
    return (
      <Card title="Failed" id="result" aside={<Badge tone="bad">{`${code} ${http_status}`}</Badge>}>
        {replayed ? <p class="notice">{REPLAYED}</p> : null}
        <Problem message={visible(message, 2_000)} suggestion={visible(suggestion, 2_000)} />
      </Card>
    );
  }
  const approval = approvalPathOf(result, origin);
  return (
    <Card title="Waiting for your approval" id="result" aside={<Badge tone="warn">not run yet</Badge>}>
      {approval === undefined ? (
        <p>This tool asks a question that only an app can answer.</p>
      ) : (
        <>
          <p>This call needs your approval like any other. Approve it, then run it from here.</p>
          <div class="row loose">
            <a class="button main" href={approval}>
              Open approval {approval.slice(approval.lastIndexOf('/') + 1)}
            </a>
            <SameAgain {...form} />
          </div>
        </>
      )}
    </Card>
  );
}

function exampleTexts(contract: AnyContract, at: string | undefined): Map<string, string> {
  const example = at === undefined || !/^\d{1,3}$/.test(at) ? undefined : contract.examples[Number(at)];
  const input: unknown = example?.input;
  return typeof input === 'object' && input !== null
    ? textsOf(fieldsOf(inputSchema(contract)), input as Record<string, unknown>)
    : new Map();
}

function sentTexts(fields: readonly Field[], form: URLSearchParams): Map<string, string> {
  return new Map(
    fields.flatMap((field) => {
      const text = form.get(inputName(field));
      return text === null ? [] : [[inputName(field), text.replaceAll('\r\n', '\n')] as const];
    }),
  );
}

function noSuchTool(visit: OwnerVisit) {
  return notThere(visit, {
    title: 'No such tool',
    within: 'Tools',
    children: (
      <>
        There is no tool of that name here. <a href="/catalogue">See all tools</a>.
      </>
    ),
  });
}
