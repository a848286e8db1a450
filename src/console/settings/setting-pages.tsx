import { Hono } from 'hono';
import { GROUPS, type Group } from '../../../contracts/contract.ts';
import type { ToolSet } from '../../core/tools.ts';
import type { GateStub } from '../../gate/gate-stub.ts';
import { type Settings, settingShapes } from '../../gate/settings.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { formForOwner, forOwner, STALE } from '../access/owner-page.tsx';
import { Select, TextArea, TextField } from '../parts/fields.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { Card, Csrf, counted, Heading } from '../parts/parts.tsx';

interface SettingPagePorts {
  readonly auth: AuthPorts;
  gate(): GateStub;
  readonly tools: ToolSet;
  /** Tells every client that the list of tools changed. */
  listChanged(): void;
}

interface Shown {
  readonly typed?: URLSearchParams;
  readonly problems?: Readonly<Record<string, string>>;
  readonly problem?: string;
  readonly saved?: boolean;
  readonly status?: number;
}

const WAITING = 'max_pending';
const TOLD = 'instructions';
const OFF = 'groups_off';
const MAX_RATE = 1_000_000;

/** Serves the limits, and what clients are told: calls a minute by tool, and how many calls may wait. */
export function settingPages({ auth, gate, tools, listChanged }: SettingPagePorts): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);
  const onForm = formForOwner(auth);

  const show = async (visit: OwnerVisit, shown: Shown = {}) => {
    const stub = gate();
    const names = ['rates', WAITING, TOLD, OFF] as const;
    const [rates, maxPending, told, off] = await Promise.all(names.map((name) => stub.setting(name)));
    const set = settingShapes.rates.parse(rates ?? {});
    const { typed, problems = {}, problem, saved, status = 200 } = shown;
    const isOff = typed ? groupsOffIn(typed) : settingShapes.groups_off.parse(off ?? []);
    return page(
      <Page title="Settings" csrf={visit.csrf}>
        {saved ? (
          <p class="done" role="status">
            Saved.
          </p>
        ) : null}
        {problem ? <Problem message={problem} /> : null}
        <Heading title="Settings">
          Limits for calls, instructions for clients, and which tools are offered.
        </Heading>
        <form method="post" action="/settings">
          <Csrf value={visit.csrf} />
          <Card title="Approvals">
            <div class="columns">
              <TextField
                name={WAITING}
                label="Maximum pending approvals"
                type="number"
                min={1}
                max={1_000}
                value={typed?.get(WAITING) ?? String(maxPending ?? 20)}
                problem={problems[WAITING]}
                required
              />
            </div>
          </Card>
          <Card title="Clients">
            <TextArea
              name={TOLD}
              label="Instructions for every client"
              hint="Up to 500 characters, read when a client connects. Bowline already explains itself, your machines and approvals."
              value={typed?.get(TOLD) ?? String(told ?? '')}
              problem={problems[TOLD]}
            />
          </Card>
          <Card title="Groups of tools">
            <p class="hint">Tools of a group that is off are not listed, and calls of them are refused.</p>
            <div class="columns">
              {GROUPS.map((group) => (
                <Select
                  name={groupField(group)}
                  label={capital(group)}
                  hint={namesIn(group, tools)}
                  value={isOff.includes(group) ? 'off' : 'on'}
                  options={[
                    ['on', 'on'],
                    ['off', 'off'],
                  ]}
                />
              ))}
            </div>
          </Card>
          <Card title="Calls per minute" aside="for each client and tool">
            {' '}
            <p class="hint">Leave blank for the default.</p>
            <details open={[...tools.keys()].some((name) => Object.hasOwn(set, name) || name in problems)}>
              <summary>{counted(tools.size, 'tool')}</summary>
              <div class="columns">
                {[...tools.entries()].map(([name, { contract }]) => (
                  <TextField
                    name={name}
                    label={name}
                    type="number"
                    min={0}
                    max={MAX_RATE}
                    value={typed?.get(name) ?? (Object.hasOwn(set, name) ? String(set[name]) : '')}
                    placeholder={String(contract.limits.perMinute)}
                    problem={problems[name]}
                  />
                ))}
              </div>
            </details>
          </Card>
          <p>
            <button class="main" type="submit">
              Save
            </button>
          </p>
        </form>
      </Page>,
      { status },
    );
  };

  app.get('/settings', (c) =>
    asOwner(c, (visit) => show(visit, { saved: c.req.query('saved') !== undefined })),
  );

  app.post('/settings', (c) =>
    onForm(
      c,
      '/settings',
      (visit) => show(visit, { problem: STALE, status: 403 }),
      async ({ form, visit }) => {
        const stub = gate();
        const known = settingShapes.rates.parse((await stub.setting('rates')) ?? {});
        const { problems, rates, maxPending, told } = read(form, known, [...tools.keys()]);
        if (Object.keys(problems).length > 0 || maxPending === undefined || told === undefined) {
          return show(visit, {
            typed: form,
            problems,
            problem: 'Nothing was saved. Correct the fields below.',
            status: 400,
          });
        }
        await stub.changeSetting('rates', rates);
        await stub.changeSetting(WAITING, maxPending);
        await stub.changeSetting(TOLD, told);
        await stub.changeSetting(OFF, groupsOffIn(form));
        listChanged();
        return seeOther('/settings?saved');
      },
    ),
  );
  return app;
}

/** Reads the form. Keeps the rates of tools that are not offered just now. */
function read(form: URLSearchParams, known: Settings['rates'], names: readonly string[]) {
  const problems: Record<string, string> = {};
  const rates: Record<string, number> = { ...known };
  for (const name of names) {
    const text = (form.get(name) ?? '').trim();
    delete rates[name];
    if (text === '') continue;
    const rate = settingShapes.rates.safeParse({ [name]: Number(text) });
    if (rate.success) Object.assign(rates, rate.data);
    else problems[name] = `Enter a whole number up to ${MAX_RATE}, or leave it blank for the default.`;
  }
  const waiting = settingShapes.max_pending.safeParse(Number(form.get(WAITING) ?? ''));
  if (!waiting.success) problems[WAITING] = 'Enter a whole number from 1 to 1000.';
  const told = settingShapes.instructions.safeParse((form.get(TOLD) ?? '').replaceAll('\r\n', '\n'));
  if (!told.success) problems[TOLD] = 'Enter at most 500 characters.';
  return { problems, rates, maxPending: waiting.data, told: told.data };
}

const groupField = (group: Group) => `group_${group}`;
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function groupsOffIn(form: URLSearchParams): Group[] {
  return GROUPS.filter((group) => form.get(groupField(group)) === 'off');
}

function namesIn(group: Group, tools: ToolSet): string {
  const names = [...tools.values()].flatMap(({ contract }) =>
    contract.group === group ? [contract.wireName] : [],
  );
  return names.length === 0 ? 'no tools yet' : names.join(', ');
}
