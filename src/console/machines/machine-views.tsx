import type { machinesOverview } from '../../api/pairing-routes.ts';
import { visible } from '../../core/visible.ts';
import type { LedgerEntry } from '../../gate/ledger.ts';
import type { ShownLoan } from '../../gate/loans.ts';
import { outcomeWords } from '../../gate/outcome-words.ts';
import type { Hop } from '../../machines/path-health.ts';
import { LentTerminals } from '../loans/loan-views.tsx';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Card, Copyable, Csrf, counted, Empty, Facts, Heading } from '../parts/parts.tsx';
import { SandboxFact } from './sandbox-fact.tsx';

type Overview = Awaited<ReturnType<typeof machinesOverview>>;
/** The last call that the ledger knows on a machine. */
export type LastCall = Pick<LedgerEntry, 'seq' | 'at' | 'tool' | 'outcome' | 'code'>;
type Machine = Overview['machines'][number] & { readonly lastCall: LastCall | null };

interface Frame {
  readonly csrf: string;
  readonly problem: string | undefined;
}

/** The result of a check of the way to one machine. */
export interface Health {
  readonly id: string;
  readonly hops: readonly Hop[];
}

const NAME_CHARS = 64;

/** Lists the paired machines, and those that ask to be. */
export function MachinesView({
  machines,
  pending,
  csrf,
  origin,
  problem,
  health,
  loans,
}: Pick<Overview, 'pending'> &
  Frame & {
    readonly machines: readonly Machine[];
    readonly origin: string;
    readonly health: Health | undefined;
    readonly loans: readonly ShownLoan[];
  }) {
  return (
    <>
      <Heading title="Machines">
        Your computers that run the bridge. They connect to this gateway; nothing connects to them.
      </Heading>
      {problem ? <Problem message={problem} /> : null}
      <LentTerminals loans={loans} csrf={csrf} from="/machines" live={!problem && !health} />
      {pending.length === 0 ? null : (
        <Card title="Waiting to be paired" aside={<Badge tone="warn">{pending.length}</Badge>}>
          <ul class="tools">
            {pending.map(({ code, name, opened_at }) => (
              <li>
                <a href={`/machines/pair?code=${encodeURIComponent(code)}`}>
                  {visible(name, NAME_CHARS)} <span class="mono">{code}</span>
                </a>
                <span class="quiet small">
                  <Ago at={opened_at} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {machines.length === 0 && pending.length === 0 ? (
        <Card>
          <Empty title="No machine is paired yet.">
            Without one, models can use your memory, repo and the web, but no files and no terminal.
          </Empty>
        </Card>
      ) : null}
      {machines.map((machine) => (
        <MachineCard
          machine={machine}
          csrf={csrf}
          hops={health?.id === machine.id ? health.hops : undefined}
        />
      ))}
      <Card title="Pair a machine" id="pair">
        <p>Run this on the machine. It prints a code and a fingerprint, which you then compare here.</p>
        <Copyable text={`bowline pair ${origin}`} label="the command that pairs" />
        <form class="search" action="/machines/pair">
          <label class="unseen" for="pair-code">
            Code on the machine
          </label>
          <input
            id="pair-code"
            name="code"
            type="text"
            required
            maxlength={20}
            autocomplete="off"
            placeholder="Code"
          />
          <button type="submit">Compare</button>
        </form>
      </Card>
    </>
  );
}

function MachineCard({
  machine,
  csrf,
  hops,
}: {
  readonly machine: Machine;
  readonly csrf: string;
  readonly hops: readonly Hop[] | undefined;
}) {
  const { id, name, online, is_default } = machine;
  const shown = visible(name, NAME_CHARS);
  return (
    <section class="card" id={`machine-${id}`}>
      <div class="card-head">
        <h2>{shown}</h2>
        <div class="aside">
          {is_default ? <Badge>default</Badge> : null}{' '}
          {online ? <Badge tone="good">online</Badge> : <Badge tone="bad">offline</Badge>}
        </div>
      </div>
      <MachineFacts machine={machine} />
      {hops === undefined ? null : <Hops hops={hops} />}
      <div class="row loose">
        <form method="post" action={`/machines/health#machine-${id}`}>
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button type="submit" aria-label={`Test connection to ${shown}`}>
            Test connection
          </button>
        </form>
        <form method="post" action="/machines/default">
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button type="submit" name="on" value={is_default ? 'no' : 'yes'}>
            {is_default ? 'Clear default' : 'Make default'}
          </button>
        </form>
        <form method="post" action="/machines/revoke">
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button class="danger" type="submit" aria-label={`Revoke ${shown}`}>
            Revoke
          </button>
        </form>
      </div>
      <details>
        <summary>Rename {shown}</summary>
        <form class="search" method="post" action="/machines/rename">
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <label class="unseen" for={`name-${id}`}>
            Name
          </label>
          <input id={`name-${id}`} name="name" type="text" maxlength={NAME_CHARS} required value={name} />
          <button type="submit">Rename</button>
        </form>
      </details>
    </section>
  );
}

function MachineFacts({ machine }: { readonly machine: Machine }) {
  const { name, online, since, lastCall, roots, tools, version, sandbox, fingerprint, paired_at } = machine;
  return (
    <Facts
      facts={[
        [online ? 'Connected' : 'Last seen', since === null ? 'never connected' : <Ago at={since} />],
        ['Last call', lastCall === null ? 'none lately' : <Called call={lastCall} machine={name} />],
        [
          'Folders',
          roots.length === 0
            ? 'unknown'
            : roots.map((root) => (
                <div>
                  {visible(root.name, 128)} <span class="quiet mono">{visible(root.path, 400)}</span>
                </div>
              )),
        ],
        [
          'Tools',
          tools.length === 0 ? (
            'unknown'
          ) : (
            <details>
              <summary>{counted(tools.length, 'tool')}</summary>
              {tools.map((tool) => (
                <code class="chip">{visible(tool, 64)}</code>
              ))}
            </details>
          ),
        ],
        ['Sandbox', <SandboxFact sandbox={sandbox} />],
        ['Version', version === null ? 'unknown' : visible(version, 40)],
        ['Fingerprint', <span class="mono">{fingerprint}</span>],
        ['Paired', <Ago at={paired_at} />],
      ]}
    />
  );
}

function Called({ call, machine }: { readonly call: LastCall; readonly machine: string }) {
  const { words, tone } = outcomeWords(call);
  return (
    <>
      <a class="mono" href={`/ledger/${call.seq}`}>
        {visible(call.tool, 60)}
      </a>{' '}
      <Badge tone={tone}>{visible(words, 60)}</Badge> <Ago at={call.at} /> ·{' '}
      <a href={`/ledger?machine=${encodeURIComponent(machine)}`}>all calls under its name</a>
    </>
  );
}

const TONE = { good: 'good', broken: 'bad', 'not reached': 'calm' } as const;

function Hops({ hops }: { readonly hops: readonly Hop[] }) {
  const isWhole = hops.every(({ state }) => state === 'good');
  return (
    <div role="status">
      <h3>{isWhole ? 'The connection works' : 'The connection is broken'}</h3>
      <ol class="hops">
        {hops.map(({ name, state, ms, says }) => (
          <li>
            <Badge tone={TONE[state]}>{state === 'not reached' ? '…' : state}</Badge>
            <span>{name}</span>
            <span class="ms">{ms === null ? '' : `${ms} ms`}</span>
            {says === '' ? null : <span class="said">{visible(says, 600)}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface PairProps extends Frame {
  readonly code: string;
  readonly name: string;
  readonly address: string;
  readonly expiresAt: number;
  readonly fingerprint: string;
}

/** Shows one machine that asks: what the owner has to compare, and the answer. */
export function PairView({ code, name, address, expiresAt, fingerprint, csrf, problem }: PairProps) {
  return (
    <div class="narrow">
      {problem ? <Problem message={problem} /> : null}
      <section class="card">
        <h1>Pair this machine?</h1>
        <p class="notice">
          Compare the code and the fingerprint with those on the machine. If they differ, or you did not ask
          for this just now, deny it.
        </p>
        <Facts
          facts={[
            ['Code', <span class="mono">{code}</span>],
            ['Fingerprint', <span class="mono">{fingerprint}</span>],
            ['Asked from', visible(address, 60)],
            ['Expires', <Ago at={expiresAt} />],
          ]}
        />
        <form method="post" action="/machines/pair">
          <Csrf value={csrf} />
          <input type="hidden" name="code" value={code} />
          <input type="hidden" name="fingerprint" value={fingerprint} />
          <label for="machine-name">Name</label>
          <input
            id="machine-name"
            name="name"
            type="text"
            maxlength={NAME_CHARS}
            required
            value={visible(name, NAME_CHARS)}
          />
          <p class="row">
            <button class="main" type="submit" name="decision" value="confirm">
              They match: pair it
            </button>
            <button type="submit" name="decision" value="deny">
              Deny
            </button>
          </p>
        </form>
      </section>
    </div>
  );
}
