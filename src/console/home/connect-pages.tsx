import { Hono } from 'hono';
import { page } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { forOwner } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { Badge, Card, Copyable, Heading } from '../parts/parts.tsx';
import { QrCode, qrRows } from '../parts/qr.tsx';
import { type Client, clientsFor, isLocal } from './clients.ts';

/** Serves the page that says how to connect each app: the one address, and the steps. */
export function connectPages(auth: AuthPorts): Hono {
  const { origin } = auth;
  const mcpUrl = `${origin}/mcp`;
  const local = isLocal(origin);
  // Show first the apps that can reach this gateway.
  const clients = clientsFor(mcpUrl).toSorted((a, b) =>
    local ? Number(a.needsPublic) - Number(b.needsPublic) : 0,
  );
  const asOwner = forOwner(auth);
  return new Hono().get('/connect', (c) =>
    asOwner(c, async (visit) =>
      page(
        <Page title="Connect" csrf={visit.csrf}>
          <Heading title="Connect">
            One address for every app. Each asks you here what it may do. Revoke its access under{' '}
            <a href="/connections">Connections</a>.
          </Heading>
          <Card title="The address">
            <div class="address">
              <div>
                <Copyable text={mcpUrl} label="the address" />
                <p class="links small">
                  {clients.map(({ id, name }) => (
                    <a href={`#${id}`}>{name}</a>
                  ))}
                </p>
              </div>
              {/* A phone’s localhost is the phone. */}
              {local ? null : (
                <QrCode rows={await qrRows(mcpUrl)} label="The address, for a phone’s camera" />
              )}
            </div>
          </Card>
          {local ? (
            <p class="notice">
              This gateway runs on your computer, where only programs on it can reach it. Claude and ChatGPT
              call from their own servers: put the gateway on the internet with <code>bowline deploy</code>{' '}
              first.
            </p>
          ) : null}
          {clients.map((client) => (
            <ClientCard client={client} local={local} />
          ))}
          <Card title="Scripts" id="scripts">
            <p>
              A program without a browser uses a <a href="/connections#new-token">token</a>, over MCP or plain
              HTTP:
            </p>
            <Copyable
              text={`curl ${origin}/tools/hello -H "authorization: Bearer $TOKEN" --json '{"name":"Ada"}'`}
              label="the command for scripts"
            />
          </Card>
        </Page>,
      ),
    ),
  );
}

function ClientCard({ client, local }: { readonly client: Client; readonly local: boolean }) {
  const { id, name, steps, copy, file, link, needsPublic } = client;
  return (
    <Card
      title={name}
      id={id}
      aside={needsPublic && local ? <Badge tone="warn">needs a public address</Badge> : undefined}
    >
      <ol class="steps">
        {steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      {link ? (
        <p>
          <a class="button" href={link.href}>
            {link.text}
          </a>
        </p>
      ) : null}
      {file ? (
        <p class="quiet small">
          <code>{file}</code>
        </p>
      ) : null}
      {copy ? <Copyable {...copy} /> : null}
    </Card>
  );
}
