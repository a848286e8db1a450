import { Problem } from '../console/layout.tsx';
import { visible } from '../core/visible.ts';
import type { machinesOverview } from './pairing-routes.ts';

type Overview = Awaited<ReturnType<typeof machinesOverview>>;

interface Frame {
  readonly csrf: string;
  /** Whether the owner has just shown that it is them. */
  readonly proven: boolean;
  readonly problem: string | undefined;
}

/** What is paired and what asks to be. */
export function MachinesView({
  machines,
  pending,
  csrf,
  proven,
  origin,
  problem,
}: Overview & Frame & { readonly origin: string }) {
  return (
    <>
      <h1>Machines</h1>
      {problem ? <Problem message={problem} /> : null}
      {pending.length > 0 ? (
        <section class="card">
          <h2>Waiting to be paired</h2>
          <ul>
            {pending.map(({ code, name }) => (
              <li>
                <a href={`/machines/pair?code=${code}`}>
                  {visible(name, 64)} <span class="mono">{code}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {proven || machines.length === 0 ? null : (
        <ConfirmForm
          csrf={csrf}
          why="To rename a machine or make it the default, confirm with your passkey that it is you."
        />
      )}
      {machines.map((machine) => (
        <MachineCard machine={machine} csrf={csrf} proven={proven} />
      ))}
      <section class="card">
        <h2>Pair a machine</h2>
        <p>
          On the machine, run this. It prints a code and a fingerprint, and the machine then shows up here.
        </p>
        <code class="secret">bowline pair {origin}</code>
      </section>
    </>
  );
}

function MachineCard({
  machine,
  csrf,
  proven,
}: {
  readonly machine: Overview['machines'][number];
  readonly csrf: string;
  readonly proven: boolean;
}) {
  const { id, name, online, since, roots, tools, version, fingerprint, is_default, paired_at } = machine;
  return (
    <section class="card">
      <h2>
        {visible(name, 64)} {is_default ? <span class="quiet small">(default)</span> : null}
      </h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          {online ? 'online' : 'offline'}
          {since === null ? ', never connected' : <> since {when(since)}</>}
        </dd>
        <dt>Folders</dt>
        <dd>
          {roots.length === 0
            ? 'none known'
            : roots.map((root) => <div>{visible(`${root.name}: ${root.path}`, 400)}</div>)}
        </dd>
        <dt>Tools</dt>
        <dd>{tools.length === 0 ? 'none known' : visible(tools.join(', '), 2_000)}</dd>
        <dt>Version</dt>
        <dd>{version === null ? 'not known' : visible(version, 40)}</dd>
        <dt>Fingerprint</dt>
        <dd class="mono">{fingerprint}</dd>
        <dt>Paired</dt>
        <dd>{when(paired_at)}</dd>
      </dl>
      <form method="post" action="/machines/rename">
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="id" value={id} />
        <label for={`name-${id}`}>Name</label>
        <input id={`name-${id}`} name="name" type="text" maxlength={64} required value={name} />
        <p class="row">
          <button type="submit" disabled={!proven}>
            Rename
          </button>
        </p>
      </form>
      <div class="row">
        <form method="post" action="/machines/default">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button type="submit" name="on" value={is_default ? 'no' : 'yes'} disabled={!proven}>
            {is_default ? 'No longer the default' : 'Make it the default'}
          </button>
        </form>
        <form method="post" action="/machines/revoke">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button class="danger" type="submit" aria-label={`Revoke ${visible(name, 64)}`}>
            Revoke
          </button>
        </form>
      </div>
    </section>
  );
}

interface PairProps extends Frame {
  readonly code: string;
  readonly name: string;
  readonly address: string;
  readonly expiresAt: number;
  readonly fingerprint: string;
}

/** One machine that asks: what the owner has to compare, and the answer. */
export function PairView({ code, name, address, expiresAt, fingerprint, csrf, proven, problem }: PairProps) {
  return (
    <>
      {problem ? <Problem message={problem} /> : null}
      <section class="card">
        <h1>Pair this machine?</h1>
        <p class="notice">
          Compare the code and the fingerprint with what the machine itself shows. If they differ, or you did
          not ask for this just now, deny it.
        </p>
        <dl class="facts">
          <dt>Code</dt>
          <dd class="mono">{code}</dd>
          <dt>Fingerprint</dt>
          <dd class="mono">{fingerprint}</dd>
          <dt>Asks from</dt>
          <dd>{visible(address, 60)}</dd>
          <dt>Until</dt>
          <dd>{when(expiresAt)}</dd>
        </dl>
        {proven ? null : (
          <ConfirmForm
            csrf={csrf}
            why="A paired machine answers calls as yours. Confirm with your passkey that it is you."
          />
        )}
        <form method="post" action="/machines/pair">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="code" value={code} />
          <input type="hidden" name="fingerprint" value={fingerprint} />
          <label for="machine-name">Name</label>
          <input
            id="machine-name"
            name="name"
            type="text"
            maxlength={64}
            required
            value={visible(name, 64)}
          />
          <p class="row">
            <button class="main" type="submit" name="decision" value="confirm" disabled={!proven}>
              They match: pair it
            </button>
            <button type="submit" name="decision" value="deny">
              Deny
            </button>
          </p>
        </form>
      </section>
    </>
  );
}

function ConfirmForm({ csrf, why }: { readonly csrf: string; readonly why: string }) {
  return (
    <form data-passkey="confirm" hidden>
      <input type="hidden" name="csrf" value={csrf} />
      <p class="notice">{why}</p>
      <p class="row">
        <button type="submit">Confirm with a passkey</button>
      </p>
      <p role="alert" class="small" />
    </form>
  );
}

/** In UTC: the server does not know where its owner is. */
function when(ms: number) {
  const at = new Date(ms).toISOString();
  return <time datetime={at}>{`${at.slice(0, 16).replace('T', ' ')} UTC`}</time>;
}
