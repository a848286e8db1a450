import { visible } from '../../core/visible.ts';
import type { ShownRule } from '../../gate/rules/rule-book.ts';
import type { Effect } from '../../gate/rules/rule-pattern.ts';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Card, Csrf, Empty, Facts, Heading, type Tone } from '../parts/parts.tsx';

const EFFECTS: Record<Effect, readonly [string, Tone]> = {
  allow: ['allow', 'good'],
  ask: ['ask', 'warn'],
  deny: ['deny', 'bad'],
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
            New rule
          </a>
        }
      >
        Your standing answers to calls. Deny overrides ask; ask overrides allow.
      </Heading>
      {rules.length === 0 ? (
        <Card>
          <Empty title="No rules yet">
            Choose “Always…” at an approval, or start from a call in the <a href="/ledger">ledger</a>.
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
          <Badge tone={tone}>{effect}</Badge> {rule.enabled ? null : <Badge>off</Badge>}{' '}
          {over ? <Badge>expired</Badge> : null} {usedUp ? <Badge>used up</Badge> : null}
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
          ['Expires', <Ago at={rule.expiresAt} />],
          ['Created', <Ago at={rule.createdAt} />],
          ['Note', rule.note === '' ? null : visible(rule.note, 200)],
        ]}
      />
      <form method="post" action={`/rules/${rule.id}`} class="row loose">
        <Csrf value={csrf} />
        <button type="submit" name="do" value={rule.enabled ? 'off' : 'on'} aria-describedby={rule.id}>
          {rule.enabled ? 'Turn off' : 'Turn on'}
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
