import { visible } from '../../core/visible.ts';
import type { LedgerEntry } from '../../gate/ledger.ts';
import type { FormProblems, RuleForm } from '../../gate/rules/rule-form.ts';
import { Select, TextArea, TextField } from '../parts/fields.tsx';
import { Problem } from '../parts/layout.tsx';
import { Ago, Card, Csrf, Heading } from '../parts/parts.tsx';
import { RULE_FORM, VERDICT } from './rule-names.ts';

/** The effect that a rule would have had on past calls. */
export interface BackTest {
  readonly text: string;
  readonly checked: number;
  readonly matches: readonly LedgerEntry[];
}

interface EditorProps {
  readonly form: RuleForm;
  readonly problems: FormProblems;
  readonly test: BackTest | undefined;
  readonly csrf: string;
  readonly problem?: string | undefined;
  readonly tools: readonly string[];
  readonly machines: readonly string[];
}

/** Shows the editor of a rule, which tries the rule on past calls before it is saved. */
export function RuleEditor({ form, problems, test, csrf, problem, tools, machines }: EditorProps) {
  const of = (name: keyof RuleForm) => ({ name, value: form[name], problem: problems[name] });
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      <Heading title="New rule" actions={<a href="/rules">All rules</a>}>
        Describe the calls that the rule is about. Below you see which past calls it would have answered.
      </Heading>
      <form method="post" action="/rules/preview" id={RULE_FORM} class="rule">
        <Csrf value={csrf} />
        <Card title="Which calls">
          <div class="columns">
            <TextField {...of('tool')} label="Tool" list={tools} required />
            <TextField {...of('machine')} label="Machine" list={machines} placeholder="any" />
            <Select {...of('effect')} label="Answer" options={EFFECT_WORDS} />
            <Select {...of('kind')} label="When" options={KIND_WORDS} />
          </div>
          <div class="when-arguments">
            <TextArea
              {...of('fields')}
              label="Arguments, one per line"
              hint={ARGUMENTS_HINT}
              placeholder={'path ~ ^notes/[a-z-]+[.]md$\ncontent *'}
              rows={4}
            />
          </div>
          <div class="when-json">
            <TextArea
              {...of('regex')}
              label="Pattern over all arguments"
              hint="A regular expression that matches all arguments as canonical JSON."
            />
          </div>
          <div class="when-argv">
            <TextField {...of('command')} label="First words of the command" placeholder="git status" />
            <div class="columns">
              <TextField {...of('options')} label="Options that may follow" placeholder="--short --branch" />
              <Select {...of('operands')} label="Names that may follow" options={OPERAND_WORDS} />
            </div>
            <TextArea
              {...of('endings')}
              label="What may be done with the output, one per line"
              hint="For example 2>&1 | tail -20. A single * allows everything that only reads the output with cat, head, tail, grep or wc."
              rows={2}
            />
            <TextArea
              {...of('others')}
              label="Other arguments, one per line"
              hint="For example the folder. Write them like arguments: name = value, name ~ pattern, name *."
              rows={2}
            />
          </div>
          <div class="when-tool">
            <TextField {...of('root')} label="Only in the open folder" placeholder="any" />
            <p class="quiet small">With such a rule, dangerous calls run only in a sandbox.</p>
          </div>
        </Card>
        <Card title="Expiry">
          <div class="columns">
            <TextField {...of('days')} label="Days until it expires" type="number" min={0} max={365} />
            <TextField {...of('uses')} label="Maximum uses" type="number" min={1} placeholder="no limit" />
            <TextField {...of('note')} label="Note" />
          </div>
        </Card>
        <Card title="Examples" aside="checked when you save, and at every start">
          <TextArea
            {...of('must')}
            label="Must match"
            hint="The arguments of a call, with defaults, as one JSON object per line."
          />
          <TextArea
            {...of('mustNot')}
            label="Must not match"
            hint="Calls that look similar but must not match."
          />
        </Card>
        <Card title="On past calls">
          <div id={VERDICT} role="status">
            <Verdict test={test} />
          </div>
        </Card>
        <p class="row loose">
          <button type="submit" class="main" formaction="/rules">
            Save rule
          </button>
          <button type="submit">Test on past calls</button>
        </p>
      </form>
    </>
  );
}

const ARGUMENTS_HINT = (
  <>
    <code>name = value</code> for exactly that, <code>name ~ pattern</code> for a text that matches a regular
    expression, <code>name *</code> for anything.
  </>
);

const EFFECT_WORDS = [
  ['allow', 'Allow without asking'],
  ['ask', 'Ask each time'],
  ['deny', 'Deny'],
] as const;

const KIND_WORDS = [
  ['arguments', 'its arguments are'],
  ['argv', 'its command begins with'],
  ['json', 'all arguments match a pattern'],
  ['any', 'always, whatever its arguments'],
  ['tool', 'for a while, whatever its arguments'],
] as const;

const OPERAND_WORDS = [
  ['none', 'none'],
  ['any', 'any inside the folder'],
] as const;

const MAX_MATCHES = 20;

function Verdict({ test }: { readonly test: BackTest | undefined }) {
  if (!test) return <p class="quiet">Past calls that match appear here once the rule is complete.</p>;
  const { text, checked, matches } = test;
  return (
    <>
      <p>{text}</p>
      <p>
        <strong>
          {matches.length} of the last {checked} {checked === 1 ? 'call' : 'calls'}
        </strong>{' '}
        of this tool would have been answered by it.
      </p>
      <ul class="asks">
        {matches.slice(0, MAX_MATCHES).map((match) => (
          <li class="ask">
            <a href={`/ledger/${match.seq}`}>
              Call {match.seq}, <Ago at={match.at} />
            </a>
            <span class="quiet small">{visible(match.client, 40)}</span>
            <p class="peek">{visible(match.args, 300)}</p>
          </li>
        ))}
      </ul>
      {matches.length > MAX_MATCHES ? <p class="quiet">And {matches.length - MAX_MATCHES} more.</p> : null}
    </>
  );
}
