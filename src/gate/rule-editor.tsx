import { Select, TextArea, TextField } from '../console/fields.tsx';
import { Problem } from '../console/layout.tsx';
import { Card, ConfirmWithPasskey, Csrf, Heading, When } from '../console/parts.tsx';
import { visible } from '../core/visible.ts';
import type { LedgerEntry } from './ledger.ts';
import type { FormProblems, RuleForm } from './rule-form.ts';

/** What a rule would have done to past calls. */
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
  readonly proven: boolean;
  readonly problem?: string | undefined;
  readonly tools: readonly string[];
  readonly machines: readonly string[];
}

/** Where a rule is written and, before it is saved, tried on the past. */
export function RuleEditor({ form, problems, test, csrf, proven, problem, tools, machines }: EditorProps) {
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      <Heading title="Write a rule" actions={<a href="/rules">All rules</a>}>
        Say which calls it is about. Below you see which past calls it would have answered; nothing is saved
        before you say so.
      </Heading>
      {proven ? null : <ConfirmWithPasskey csrf={csrf} why="A rule can let calls run without you." stay />}
      <form method="post" action="/rules/preview" id="rule" class="rule">
        <Csrf value={csrf} />
        <Card title="Which calls">
          <div class="columns">
            <TextField
              name="tool"
              label="Tool"
              value={form.tool}
              problem={problems.tool}
              list={tools}
              required
            />
            <TextField
              name="machine"
              label="Machine"
              value={form.machine}
              problem={problems.machine}
              list={machines}
              placeholder="any"
            />
            <Select
              name="effect"
              label="Answer"
              value={form.effect}
              problem={problems.effect}
              options={EFFECT_WORDS}
            />
            <Select name="kind" label="When" value={form.kind} problem={problems.kind} options={KIND_WORDS} />
          </div>
          <div class="when-arguments">
            <TextArea
              name="fields"
              label="Arguments, one a line"
              hint={ARGUMENTS_HINT}
              value={form.fields}
              problem={problems.fields}
              placeholder={'path ~ ^notes/[a-z-]+[.]md$\ncontent *'}
              rows={4}
            />
          </div>
          <div class="when-json">
            <TextArea
              name="regex"
              label="Pattern over all arguments"
              hint="A regex that matches the arguments as canonical JSON, whole."
              value={form.regex}
              problem={problems.regex}
            />
          </div>
          <div class="when-argv">
            <TextField
              name="command"
              label="First words of the command"
              value={form.command}
              problem={problems.command}
              placeholder="git status"
            />
            <div class="columns">
              <TextField
                name="options"
                label="Options that may follow"
                value={form.options}
                problem={problems.options}
                placeholder="--short --branch"
              />
              <Select
                name="operands"
                label="Names that may follow"
                value={form.operands}
                problem={problems.operands}
                options={OPERAND_WORDS}
              />
            </div>
            <TextArea
              name="others"
              label="Other arguments, one a line"
              hint="Such as the folder; written like arguments: name = value, name ~ pattern, name *."
              value={form.others}
              problem={problems.others}
              rows={2}
            />
          </div>
        </Card>
        <Card title="How long">
          <div class="columns">
            <TextField
              name="days"
              label="Days"
              value={form.days}
              problem={problems.days}
              type="number"
              min={0}
              max={365}
            />
            <TextField
              name="uses"
              label="Uses at most"
              value={form.uses}
              problem={problems.uses}
              type="number"
              min={1}
              placeholder="no limit"
            />
            <TextField name="note" label="Note" value={form.note} problem={problems.note} />
          </div>
        </Card>
        <Card title="Examples" aside="checked when it is saved, and at every start">
          <TextArea
            name="must"
            label="Must match"
            hint="The arguments of a call, as one JSON object a line, defaults included."
            value={form.must}
            problem={problems.must}
          />
          <TextArea
            name="mustNot"
            label="Must not match"
            hint="Calls that are nearly the same and not meant."
            value={form.mustNot}
            problem={problems.mustNot}
          />
        </Card>
        <Card title="On past calls">
          <div id="verdict" role="status">
            <Verdict test={test} />
          </div>
        </Card>
        <p class="row loose">
          <button type="submit" class="main" formaction="/rules">
            Save the rule
          </button>
          <button type="submit">Try it on past calls</button>
        </p>
      </form>
    </>
  );
}

const ARGUMENTS_HINT = (
  <>
    <code>name = value</code> for exactly that, <code>name ~ pattern</code> for a text that a regex matches
    whole, <code>name *</code> for anything.
  </>
);

const EFFECT_WORDS = [
  ['allow', 'allow without asking'],
  ['ask', 'always ask me'],
  ['deny', 'never allow'],
] as const;

const KIND_WORDS = [
  ['arguments', 'its arguments are'],
  ['argv', 'its command begins with'],
  ['json', 'all arguments match a pattern'],
  ['any', 'always, whatever its arguments'],
] as const;

const OPERAND_WORDS = [
  ['none', 'none'],
  ['any', 'any inside the folder'],
] as const;

const MAX_MATCHES = 20;

function Verdict({ test }: { readonly test: BackTest | undefined }) {
  if (!test) return <p class="quiet">Once the rule is whole, the past calls that it fits stand here.</p>;
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
              Call {match.seq}, <When at={match.at} />
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
