import type { Child } from 'hono/jsx';
import { TOKEN_SCOPES } from '../../../contracts/contract.ts';
import { visible } from '../../core/visible.ts';
import type { listAccess } from '../../owner/access.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { SCOPE_MEANING } from '../../owner/scope-meaning.ts';
import { Problem } from '../parts/layout.tsx';
import { Ago, Badge, Copyable, Csrf, Card as Frame, Heading, Left, Table } from '../parts/parts.tsx';
import { begins } from './passkey-names.ts';

export interface Notice {
  readonly problem?: string;
  readonly signInCode?: { readonly code: string; readonly expiresAt: number };
  readonly newToken?: { readonly secret: string; readonly name: string };
}

interface Props {
  readonly access: Awaited<ReturnType<typeof listAccess>>;
  readonly visit: OwnerVisit;
  readonly notice?: Notice | undefined;
  readonly mcpUrl: string;
}

/** Lists apps, tokens, sessions and passkeys, each with a way to end it. */
export function ConnectionsPage({ access, visit, notice, mcpUrl }: Props) {
  const { csrf, session } = visit;
  return (
    <>
      <Heading title="Connections">
        Apps, scripts, browsers and passkeys that have access, each with a button to end it.{' '}
        <a href="/connect">Connect another app</a>.
      </Heading>
      {notice?.problem ? <Problem message={notice.problem} /> : null}
      {notice?.signInCode ? (
        <Frame title="Sign in elsewhere" aside={<Left until={notice.signInCode.expiresAt} />}>
          <p>On the other device, type this in place of the owner key. It works once.</p>
          <Copyable text={notice.signInCode.code} label="the code" />
        </Frame>
      ) : null}
      {notice?.newToken ? (
        <Frame title={`Your new token “${visible(notice.newToken.name, 80)}”`}>
          <p>Copy it now. It is not shown again.</p>
          <Copyable text={notice.newToken.secret} label="the token" />
        </Frame>
      ) : null}

      <Card
        title="Apps"
        empty={access.apps.length === 0 && `No app yet. Add ${mcpUrl} as a connector in Claude or ChatGPT.`}
      >
        <Table caption="Apps with access" heads={['App', 'Scopes', 'Since', '']}>
          {access.apps.map((app) => (
            <Row
              action="apps/revoke"
              csrf={csrf}
              id={app.id}
              label={`Revoke ${visible(app.name, 40)}`}
              verb="Revoke"
            >
              <td>{visible(app.name, 80)}</td>
              <td data-label="Scopes">{app.scopes.join(', ')}</td>
              <td data-label="Since">
                <Ago at={app.createdAt} />
              </td>
            </Row>
          ))}
        </Table>
      </Card>

      <Card
        title="Tokens for scripts"
        empty={access.tokens.length === 0 && 'No token yet. A script sends one with each call.'}
      >
        <Table caption="Tokens" heads={['Token', 'Scopes', 'Expires', '']}>
          {access.tokens.map((token) => (
            <Row
              action="tokens/revoke"
              csrf={csrf}
              id={token.id}
              label={`Revoke ${visible(token.name, 40)}`}
              verb="Revoke"
            >
              <td>{visible(token.name, 80)}</td>
              <td data-label="Scopes">{token.scopes.join(', ')}</td>
              <td data-label="Expires">
                <Ago at={token.expiresAt} />
              </td>
            </Row>
          ))}
        </Table>
      </Card>
      <NewToken csrf={csrf} />

      <Card title="Signed in" empty={false}>
        <Table caption="Browsers that are signed in" heads={['Browser', 'From', 'Last seen', '']}>
          {access.sessions.map((one) => (
            <Row
              action="sessions/revoke"
              csrf={csrf}
              id={one.id}
              label={`Sign out the session from ${one.address}`}
              verb="Sign out"
            >
              <td>
                {programNamed(one.agent)} {one.id === session.id ? <Badge>this one</Badge> : null}
              </td>
              <td data-label="From">{one.address}</td>
              <td data-label="Last seen">
                <Ago at={one.seenAt} />
              </td>
            </Row>
          ))}
        </Table>
        <form method="post" action="/connections/code">
          <Csrf value={csrf} />
          <button type="submit">Sign in on another device</button>
        </form>
      </Card>

      <Card
        title="Passkeys"
        id="passkeys"
        empty={access.passkeys.length === 0 && 'No passkey yet. With one, you sign in without the owner key.'}
      >
        <Table caption="Passkeys" heads={['Passkey', 'Added', 'Last used', '']}>
          {access.passkeys.map((key) => (
            <Row
              action="passkeys/remove"
              csrf={csrf}
              id={key.id}
              label={`Remove ${visible(key.name, 40)}`}
              verb="Remove"
            >
              <td>{visible(key.name, 60)}</td>
              <td data-label="Added">
                <Ago at={key.createdAt} />
              </td>
              <td data-label="Last used">{key.seenAt === null ? 'never' : <Ago at={key.seenAt} />}</td>
            </Row>
          ))}
        </Table>
      </Card>
      <form class="card" {...begins('register')} hidden>
        <h2>Add a passkey</h2>
        <Csrf value={csrf} />
        <label for="passkey-name">Name</label>
        <input id="passkey-name" name="name" type="text" maxlength={60} required placeholder="My phone" />
        <button type="submit">Add a passkey</button>
        <p role="alert" class="small" />
      </form>

      <Frame title="Revoke everything">
        <p>
          Ends the access of every app, token, machine and session at once, this one too. Memory, rules and
          passkeys stay.
        </p>
        <form method="post" action="/connections/revoke-everything">
          <Csrf value={csrf} />
          <button class="danger" type="submit">
            Revoke everything
          </button>
        </form>
      </Frame>
    </>
  );
}

function NewToken({ csrf }: { csrf: string }) {
  return (
    <form class="card" id="new-token" method="post" action="/connections/tokens">
      <h2>Create a token</h2>
      <Csrf value={csrf} />
      <label for="token-name">Name</label>
      <input id="token-name" name="name" type="text" maxlength={80} required placeholder="Nightly report" />
      <fieldset>
        <legend>It may</legend>
        {TOKEN_SCOPES.map((scope) => (
          <label class="choice">
            <input type="checkbox" name="scope" value={scope} checked={scope === 'read'} />
            <span>
              {SCOPE_MEANING[scope]} <span class="quiet">({scope})</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label for="token-days">Days until it expires</label>
      <input id="token-days" name="days" type="number" min={1} max={365} value={30} required />
      <button type="submit">Create token</button>
    </form>
  );
}

function Card({
  title,
  id,
  empty,
  children,
}: {
  title: string;
  id?: string;
  empty: string | false;
  children: Child;
}) {
  return (
    <Frame title={title} {...(id === undefined ? {} : { id })}>
      {empty ? <p class="quiet">{empty}</p> : children}
    </Frame>
  );
}

interface RowProps {
  readonly action: string;
  readonly csrf: string;
  readonly id: string;
  readonly label: string;
  readonly verb: string;
  readonly children: Child;
}

function Row({ action, csrf, id, label, verb, children }: RowProps) {
  return (
    <tr>
      {children}
      <td>
        <form method="post" action={`/connections/${action}`}>
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button class="plain" type="submit" aria-label={label}>
            {verb}
          </button>
        </form>
      </td>
    </tr>
  );
}

/** Names the program of a user agent, as far as the string tells. Nothing depends on it. */
function programNamed(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari|curl|node)\//i.exec(
    /(?:Edg|OPR)\//.test(agent) ? agent.replace('Chrome', '') : agent,
  )?.[1];
  const system = /(iPhone|iPad|Android|Mac OS X|Windows|Linux)/.exec(agent)?.[1];
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser;
  if (name && system) return `${name} on ${system === 'Mac OS X' ? 'a Mac' : system}`;
  return name ?? (visible(agent, 40) || 'unnamed');
}
