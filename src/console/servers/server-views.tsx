import type { Risk } from '../../../contracts/contract.ts';
import { visible } from '../../core/visible.ts';
import { MAX_SERVER_NAME } from '../../joined/names.ts';
import type { ServerToolView, ServerView } from '../../joined/servers.ts';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Card, Csrf, counted, Empty, Facts, Heading } from '../parts/parts.tsx';

interface Props {
  readonly servers: readonly ServerView[];
  readonly csrf: string;
  readonly problem?: string | undefined;
  /** The address where the named server wants its owner to sign in. */
  readonly signIn?: { readonly name: string; readonly url: string } | undefined;
}

const GRADES: readonly (readonly [Risk | '', string])[] = [
  ['', 'not graded: asks each time'],
  ['read_only', 'only reads: runs without asking'],
  ['safe_write', 'writes: asks each time'],
  ['dangerous', 'dangerous: asks each time'],
];

/** Lists other servers whose tools this gateway offers, and the owner's grade of each tool. */
export function ServersView({ servers, csrf, problem, signIn }: Props) {
  return (
    <>
      <Heading title="Servers">
        Other MCP servers, joined to this address. Their tools go through the same gate, and count as
        dangerous until you grade them.
      </Heading>
      {problem ? <Problem message={visible(problem, 1_000)} /> : null}
      {signIn ? (
        <p class="notice">
          {visible(signIn.name, 40)} wants you to sign in at{' '}
          <a href={signIn.url} rel="noreferrer">
            {visible(new URL(signIn.url).host, 200)}
          </a>
          . You come back here afterwards.
        </p>
      ) : null}
      {servers.length === 0 ? (
        <Card>
          <Empty title="No server is joined">
            Join one by its address below. To join one that a machine starts, run{' '}
            <code>bowline servers add NAME -- COMMAND</code> there.
          </Empty>
        </Card>
      ) : null}
      {servers.map((server) => (
        <ServerCard server={server} csrf={csrf} />
      ))}
      <AddForm csrf={csrf} />
    </>
  );
}

function ServerCard({ server, csrf }: { readonly server: ServerView; readonly csrf: string }) {
  const { name, url, machine, addedAt, checkedAt, problem, signIn, tools, leftOut } = server;
  return (
    <section class="card" id={`server-${name}`}>
      <div class="card-head">
        <h2>{name}</h2>
        <div class="aside">
          {problem === null ? <Badge tone="good">joined</Badge> : <Badge tone="bad">problem</Badge>}
        </div>
      </div>
      {problem === null ? null : <Problem message={visible(problem, 500)} />}
      <Facts
        facts={[
          [
            'Reached',
            url === null ? (
              `through ${visible(machine ?? 'the machine that lists it', 64)}`
            ) : (
              <code>{visible(url, 300)}</code>
            ),
          ],
          [
            'Sign-in',
            url === null ? null : { none: 'none', token: 'token', oauth: 'your account there' }[signIn],
          ],
          ['Added', <Ago at={addedAt} />],
          ['Last checked', checkedAt === null ? 'never' : <Ago at={checkedAt} />],
        ]}
      />
      <Proposals server={name} tools={tools} csrf={csrf} />
      {tools.length === 0 ? null : (
        <details open={tools.some(({ changedAt }) => changedAt !== null)}>
          <summary>{counted(tools.length, 'tool')}</summary>
          <ul class="tools">
            {tools.map((tool) => (
              <ToolRow server={name} tool={tool} csrf={csrf} />
            ))}
          </ul>
        </details>
      )}
      {leftOut.length === 0 ? null : (
        <details>
          <summary>{leftOut.length} left out</summary>
          <ul>
            {leftOut.map((one) => (
              <li>
                <code>{visible(one.name, 100)}</code> {visible(one.reasons.join(' '), 400)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {url === null ? null : <Forms name={name} csrf={csrf} />}
    </section>
  );
}

/** Lets the owner grade all new tools at once, as their server's hints propose. */
function Proposals({
  server,
  tools,
  csrf,
}: {
  readonly server: string;
  readonly tools: readonly ServerToolView[];
  readonly csrf: string;
}) {
  const proposed = tools.filter(({ proposal }) => proposal !== null);
  if (proposed.length === 0) return null;
  return (
    <form class="notice" method="post" action={`/servers/accept#server-${server}`}>
      <Csrf value={csrf} />
      <input type="hidden" name="name" value={server} />
      <p>
        {server} says itself how much harm its tools can do. Nobody vouches for that: accept it only if you
        trust this server.
      </p>
      <ul>
        {PROPOSALS.map(([grade, words]) => {
          const named = proposed.filter(({ proposal }) => proposal === grade);
          return named.length === 0 ? null : (
            <li>
              {words}: {named.map(({ name }) => visible(name, 80)).join(', ')}
            </li>
          );
        })}
      </ul>
      {proposed.map(({ name, hash }) => (
        <input type="hidden" name="seen" value={`${hash} ${name}`} />
      ))}
      <button type="submit">
        {proposed.length === 1 ? 'Accept this grade' : `Accept these ${proposed.length} grades`}
      </button>
    </form>
  );
}

const PROPOSALS: readonly (readonly [Risk, string])[] = [
  ['read_only', 'Run without asking'],
  ['safe_write', 'Ask each time, as a write'],
  ['dangerous', 'Ask each time, as dangerous'],
];

function ToolRow({
  server,
  tool,
  csrf,
}: {
  readonly server: string;
  readonly tool: ServerToolView;
  readonly csrf: string;
}) {
  const { name, wireName, title, description, flags, grade, changedAt, hash } = tool;
  const id = `grade-${wireName}`;
  return (
    <li>
      <a href={`/catalogue/${encodeURIComponent(wireName)}`}>{visible(title, 100)}</a>
      {changedAt === null ? <span /> : <Badge tone="warn">changed</Badge>}
      <p class="small">
        <code>{wireName}</code> {visible(description, 300)}
      </p>
      {flags.map((flag) => (
        <p class="small">
          <Badge tone="warn">check</Badge> {visible(flag, 300)}
        </p>
      ))}
      <form class="search" method="post" action={`/servers/grade#server-${server}`}>
        <Csrf value={csrf} />
        <input type="hidden" name="name" value={server} />
        <input type="hidden" name="tool" value={name} />
        <input type="hidden" name="hash" value={hash} />
        <label class="unseen" for={id}>
          Grade of {wireName}
        </label>
        <select id={id} name="grade">
          {GRADES.map(([value, words]) => (
            <option value={value} selected={value === (grade ?? '')}>
              {words}
            </option>
          ))}
        </select>
        <button type="submit" aria-label={`Save the grade of ${wireName}`}>
          Save
        </button>
      </form>
    </li>
  );
}

const ACTS = [
  ['check', 'Check again', ''],
  ['sign-in', 'Sign in', ''],
  ['remove', 'Remove', 'danger'],
] as const;

function Forms({ name, csrf }: { readonly name: string; readonly csrf: string }) {
  return (
    <div class="row loose">
      {ACTS.map(([act, words, look]) => (
        <form method="post" action={`/servers/${act}`}>
          <Csrf value={csrf} />
          <input type="hidden" name="name" value={name} />
          <button class={look} type="submit" aria-label={`${words}: ${name}`}>
            {words}
          </button>
        </form>
      ))}
    </div>
  );
}

function AddForm({ csrf }: { readonly csrf: string }) {
  return (
    <Card title="Join a server">
      <form method="post" action="/servers/add">
        <Csrf value={csrf} />
        <div class="field">
          <label for="server-name">Name</label>
          <p class="hint" id="server-name-hint">
            Lowercase letters, digits and hyphens. The names of its tools begin with it.
          </p>
          <input
            id="server-name"
            name="name"
            type="text"
            required
            maxlength={MAX_SERVER_NAME}
            aria-describedby="server-name-hint"
            placeholder="notes"
          />
        </div>
        <div class="field">
          <label for="server-url">Address</label>
          <input
            id="server-url"
            name="url"
            type="url"
            required
            maxlength={2_000}
            placeholder="https://notes.example/mcp"
          />
        </div>
        <div class="field">
          <label for="server-token">
            Token <span class="quiet small">optional</span>
          </label>
          <p class="hint" id="server-token-hint">
            Bowline sends it to the server as a bearer token and never shows it again. Leave blank to sign in
            with your account there.
          </p>
          <input
            id="server-token"
            name="token"
            type="password"
            autocomplete="off"
            maxlength={8_192}
            aria-describedby="server-token-hint"
          />
        </div>
        <button class="main" type="submit">
          Join
        </button>
      </form>
    </Card>
  );
}
