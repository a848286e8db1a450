import { visible } from '../../core/visible.ts';
import type { LedgerEntry } from '../../gate/ledger.ts';
import { saidBy } from '../../gate/ledger-said.ts';
import { countedWords, decisionWords, outcomeWords } from '../../gate/outcome-words.ts';
import type { CountedCalls } from '../../gate/refusals.ts';
import { duration } from '../home/charts.tsx';
import { Problem } from '../parts/layout.tsx';
import { FOLD, UTC, ZONE } from '../parts/page-names.ts';
import { Ago, Badge, Card, Empty, Heading, Pager, Table } from '../parts/parts.tsx';

/** The owner's query, as the form holds it: texts, empty if not filled in. */
export interface LedgerQuestion {
  readonly tool: string;
  readonly client: string;
  readonly machine: string;
  readonly outcome: string;
  /** The start of the time, in UTC, as `<input type=datetime-local>` writes it. */
  readonly from: string;
  readonly to: string;
}

const OUTCOMES = [
  ['', 'any'],
  ['ok', 'succeeded'],
  ['failed', 'failed'],
  ['asked', 'waited for you'],
  ['running', 'still running'],
] as const;

interface Props {
  readonly entries: readonly LedgerEntry[];
  /** Archived calls that cannot be read. */
  readonly missing: readonly string[];
  /** Refused calls without rows. */
  readonly counted: readonly CountedCalls[];
  readonly question: LedgerQuestion;
  readonly suggest: {
    readonly tools: readonly string[];
    readonly clients: readonly string[];
    readonly machines: readonly string[];
  };
  readonly newer: string | undefined;
  readonly older: string | undefined;
  readonly problem: string | undefined;
}

/** Lists the calls, newest first. */
export function LedgerView({ entries, missing, counted, question, suggest, newer, older, problem }: Props) {
  const asked = Object.values(question).some((text) => text !== '');
  return (
    <>
      <Heading title="Ledger">
        Every call and what became of it. Nothing here can be changed or removed.
      </Heading>
      <Card>
        <details {...(asked ? {} : { [FOLD]: true })} open>
          <summary>Filters</summary>
          <form method="get" action="/ledger" class="filters">
            <Suggested label="Tool" name="tool" value={question.tool} options={suggest.tools} />
            <Suggested label="Client" name="client" value={question.client} options={suggest.clients} />
            <div>
              <label for="outcome">Outcome</label>
              <select id="outcome" name="outcome">
                {OUTCOMES.map(([value, words]) => (
                  <option value={value} selected={value === question.outcome}>
                    {words}
                  </option>
                ))}
              </select>
            </div>
            <Suggested label="Machine" name="machine" value={question.machine} options={suggest.machines} />
            <Time label="From" name="from" value={question.from} />
            <Time label="Until" name="to" value={question.to} />
            <div class="row loose">
              <button class="main" type="submit">
                Filter
              </button>
              {asked ? (
                <a class="button" href="/ledger">
                  Clear filters
                </a>
              ) : null}
            </div>
          </form>
        </details>
        {problem ? (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        ) : null}
      </Card>
      {missing.map((problem) => (
        <Problem message={visible(problem, 200)} />
      ))}
      <Card>
        {entries.length === 0 && older !== undefined ? (
          <Empty title="No matches yet">Older calls were not searched yet. Choose “Older” to go on.</Empty>
        ) : entries.length === 0 ? (
          <Empty title={asked ? 'No matching calls' : 'No calls yet'}>
            {asked ? 'Use fewer filters, or clear them.' : 'Calls show up here as they are made.'}
          </Empty>
        ) : (
          <Table
            dense
            caption="Calls, newest first"
            heads={['Tool', 'When', 'Client', 'Machine', 'Decision', 'Took', 'Outcome']}
          >
            {entries.map((entry) => (
              <tr>
                <td>
                  <a class="mono" href={`/ledger/${entry.seq}`}>
                    {visible(entry.tool, 60)}
                  </a>
                  <Said args={entry.args} />
                </td>
                <td>
                  <Ago at={entry.at} />
                </td>
                <td>{visible(entry.client, 40)}</td>
                <td data-label={entry.machine === null ? undefined : 'on'}>
                  {entry.machine === null ? '' : visible(entry.machine, 40)}
                </td>
                <td>
                  <Because call={entry} />
                </td>
                <td class="num">{entry.durationMs === null ? '' : duration(entry.durationMs)}</td>
                <td>
                  <Outcome entry={entry} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      {counted.length === 0 ? null : (
        <Card title="Calls without an entry" aside="the last day">
          <Table caption="Calls that are only counted" heads={['Tool', 'Who', 'Ended', 'Calls']}>
            {counted.map(({ tool, principal, code, count }) => (
              <tr>
                <td class="mono">{visible(tool, 60)}</td>
                <td>{visible(principal, 60)}</td>
                <td>
                  <Ended {...countedWords(code)} />
                </td>
                <td class="num">{count}</td>
              </tr>
            ))}
          </Table>
        </Card>
      )}
      <Pager newer={newer} older={older} />
    </>
  );
}

function Suggested({
  label,
  name,
  value,
  options,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly string[];
}) {
  return (
    <div>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="text"
        list={`${name}-list`}
        value={visible(value)}
        placeholder="any"
        maxlength={200}
        autocomplete="off"
      />
      <datalist id={`${name}-list`}>
        {options.map((option) => (
          <option value={visible(option, 200)} />
        ))}
      </datalist>
    </div>
  );
}

function Time({
  label,
  name,
  value,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}) {
  return (
    <div>
      <label for={name}>
        {label} <span {...{ [ZONE]: true }}>(UTC)</span>
      </label>
      <input id={name} name={name} type="datetime-local" value={value} {...{ [UTC]: true }} />
    </div>
  );
}

/** Says what a call was about below its tool: its command, its file, its page. */
function Said({ args }: { readonly args: string }) {
  const said = saidBy(args, 120);
  return said === '' ? null : <span class="said">{said}</span>;
}

export function Outcome({ entry }: { readonly entry: Pick<LedgerEntry, 'outcome' | 'code'> }) {
  return <Ended {...outcomeWords(entry)} />;
}

function Ended({ words, tone }: ReturnType<typeof outcomeWords>) {
  return <Badge tone={tone}>{visible(words, 60)}</Badge>;
}

/** Shows the decision, with a link to its rule or approval. */
export function Because({ call }: { readonly call: LedgerEntry }) {
  const { decision, because } = decisionWords(call);
  if (because === undefined) return <>{visible(decision, 40)}</>;
  const [, kind, name = ''] = /^(rule|approval|loan) ([\w-]+)$/.exec(because) ?? [];
  const href = kind === 'rule' ? `/rules#${name}` : kind === 'loan' ? '/#lent' : `/approvals/${name}`;
  return (
    <>
      {visible(decision, 40)}:{' '}
      {kind ? (
        <a href={href}>
          {kind} <span class="unbroken">{name}</span>
        </a>
      ) : (
        visible(because, 200)
      )}
    </>
  );
}
