import { visible } from '../../core/visible.ts';
import type { ShownRule } from '../../gate/rules/rule-book.ts';
import type { Effect } from '../../gate/rules/rule-pattern.ts';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Card, Csrf, Empty, Facts, Heading, type Tone } from '../parts/parts.tsx';

const EFFECTS: Record<Effect, readonly [string, Tone]> = {
  allow: ['allows', 'good'],
  ask: ['asks', 'warn'],
  deny: ['denies', 'bad'],
};

/** Lists the rules, each with a way to remove it. */
export function RulesView({
  rules,
  csrf,
  problem,
  now,
}: {
  readonly rules: readonly ShownRule[];
  readonly csrf: string;
  readonly problem?: string | undefined;
  readonly now: number;
}) {
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      <Heading
        title="Rules"
        actions={
          <a class="button main" href="/rules/new">
            Write a rule
          </a>
        }
      >
        Answers that you give once for all such calls. If several rules match a call, “never allow” wins over
        “always ask me”, and “always ask me” wins over “allow”.
      </Heading>
      {rules.length === 0 ? (
        <Card>
          <Empty title="No rules yet">
            “Always” at an approval writes one, or begin with a call of the <a href="/ledger">ledger</a>.
          </Empty>
        </Card>
      ) : null}
      {rules.map((rule) => (
        <RuleCard rule={rule} csrf={csrf} now={now} />
      ))}
    </>
  );
}

function RuleCard({
  rule,
  csrf,
  now,
}: {
  readonly rule: ShownRule;
  readonly csrf: string;
  readonly now: number;
}) {
  const [effect, tone] = EFFECTS[rule.effect];
  const usedUp = rule.maxUses !== null && rule.uses >= rule.maxUses;
  const over = rule.expiresAt <= now;
  return (
    <Card
      id={rule.id}
      title={<span class="mono">{visible(rule.tool, 60)}</span>}
      aside={
        <>
          <Badge tone={tone}>{effect}</Badge> {rule.enabled ? null : <Badge>switched off</Badge>}{' '}
          {over ? <Badge>over</Badge> : null} {usedUp ? <Badge>used up</Badge> : null}
        </>
      }
    >
      <p>{rule.text}</p>
      <Facts
        facts={[
          [
            'Used',
            `${rule.uses} ${rule.uses === 1 ? 'time' : 'times'}${rule.maxUses === null ? '' : ` of ${rule.maxUses}`}`,
          ],
          ['Ends', <Ago at={rule.expiresAt} />],
          ['Written', <Ago at={rule.createdAt} />],
          ['Note', rule.note === '' ? null : visible(rule.note, 200)],
        ]}
      />
      <form method="post" action={`/rules/${rule.id}`} class="row loose">
        <Csrf value={csrf} />
        <button type="submit" name="do" value={rule.enabled ? 'off' : 'on'} aria-describedby={rule.id}>
          {rule.enabled ? 'Switch off' : 'Switch on'}
        </button>
        <a class="button" href={`/rules/new?rule=${rule.id}`}>
          Copy
        </a>
        <button type="submit" class="danger" name="do" value="remove" aria-describedby={rule.id}>
          Remove
        </button>
      </form>
    </Card>
  );
}
