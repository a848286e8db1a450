import { beforeEach, describe, expect, it } from 'vitest';
import { cursor, cursorSignIn } from '../../fixtures/clients/cursor.ts';
import type { Recorded, RecordedSignIn } from '../../fixtures/clients/recorded.ts';
import { vscode, vscodeDocument, vscodeSignIn } from '../../fixtures/clients/vscode.ts';
import { gateNamed } from '../gate/rig.ts';
import { GATEWAY, messageIn, send } from '../http.ts';
import { connected, pathOf } from './recorded-client.ts';
import { approve, openConsent, registered, signedIn, type Tokens, token, VERIFIER } from './support.ts';
import { watchedWeb } from './watched-web.ts';

const { web } = watchedWeb();
beforeEach(() => {
  web[vscodeDocument.client_id] = () => Response.json(vscodeDocument);
});

/** Asks for the documents that lead to signing in, as a client does that was refused. */
async function discovered({ headers, initialize }: Recorded) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
  const refused = await send('/mcp', { method: 'POST', headers, body });
  expect(refused.status).toBe(401);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  const said = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
  const own = { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
  const resource = await (await send(pathOf(said('resource_metadata') ?? ''), { headers: own })).json<{
    resource: string;
    authorization_servers: string[];
    scopes_supported: string[];
  }>();
  // VS Code goes no further if this is another address than the one that its person typed.
  expect(new URL(resource.resource).href).toBe(`${GATEWAY}/mcp`);
  const at = `${pathOf(resource.authorization_servers[0] ?? '')}.well-known/oauth-authorization-server`;
  const server = await (await send(at, { headers: own })).json<{
    registration_endpoint: string;
    grant_types_supported: string[];
  }>();
  const scope = said('scope') ?? resource.scopes_supported.join(' ');
  return { resource: resource.resource, scope, server };
}

/** What the consent page says of the address that a code goes to. */
function placeOf(redirect: string): string[] {
  const { protocol, hostname } = new URL(redirect);
  const isHere = !protocol.startsWith('http') || hostname === '127.0.0.1' || hostname === 'localhost';
  const named = protocol.startsWith('http')
    ? `<strong>${hostname}</strong>`
    : `<strong>${protocol}</strong> addresses`;
  return isHere ? [named, 'a program on your own computer'] : [named];
}

const signIns: [Recorded, RecordedSignIn, string][] = [
  ...vscodeSignIn.redirects.map((at): [Recorded, RecordedSignIn, string] => [vscode, vscodeSignIn, at]),
  ...cursorSignIn.redirects.map((at): [Recorded, RecordedSignIn, string] => [cursor, cursorSignIn, at]),
];

describe.each(signIns.map(([client, how, at]) => ({ name: client.client, at, client, how })))(
  '$name, which has its code sent to $at',
  ({ client, how, at }) => {
    it('registers, is named on the page with where its code goes, works, and stays signed in', async () => {
      const { resource, scope, server } = await discovered(client);
      const said = how.registration(server.grant_types_supported, scope);
      expect(pathOf(server.registration_endpoint)).toBe('/oauth/register');
      const clientId = await registered(said);
      const tokens = await letIn(clientId, {
        redirect: at,
        scope,
        resource,
        how,
        name: String(said.client_name),
      });
      await worksAndStays(client, clientId, tokens, how.namesResource ? { resource } : {});
    });
  },
);

describe('VS Code, which names itself by its document', () => {
  it.each(vscodeDocument.redirect_uris)(
    'is named with the domain that vouches for it, and has its code sent to %s',
    async (redirect) => {
      const { resource, scope } = await discovered(vscode);
      const clientId = vscodeDocument.client_id;
      const asked = { redirect, scope, resource, how: vscodeSignIn, name: 'Visual Studio Code' };
      const tokens = await letIn(clientId, asked, '<strong>vscode.dev</strong>');
      await worksAndStays(vscode, clientId, tokens, { resource });
    },
  );
});

interface Asked {
  readonly redirect: string;
  readonly scope: string;
  readonly resource: string;
  readonly how: RecordedSignIn;
  readonly name: string;
}

/** The owner looks at the page and says yes. The client turns its code into tokens. */
async function letIn(
  clientId: string,
  { redirect, scope, resource, how, name }: Asked,
  vouches = 'the app chose its own name',
): Promise<Tokens> {
  const visitor = await signedIn();
  const state = 'gXVXo0/iMD8WMolDHKxSTg==';
  const consent = await openConsent(visitor, clientId, { redirect_uri: redirect, scope, state, resource });
  expect(consent.html).toContain(`Let “${name}” use your Bowline?`);
  for (const words of placeOf(redirect)) expect(consent.html).toContain(words);
  expect(consent.html).toContain(vouches);
  const to = (await approve(visitor, consent, ['read', 'write'])).headers.get('location') ?? '';
  expect(to.startsWith(`${redirect}?`)).toBe(true);
  const given = new URL(to).searchParams;
  expect([given.get('state'), given.get('iss')]).toEqual([state, GATEWAY]);
  const more: Record<string, string> = how.namesResource ? { resource } : {};
  const answer = await token({
    ...{ client_id: clientId, grant_type: 'authorization_code', code: given.get('code') ?? '' },
    ...{ redirect_uri: redirect, code_verifier: VERIFIER, ...more },
  });
  expect(answer.status).toBe(200);
  return answer.json<Tokens>();
}

/** Takes a client through its day: its lists, a call, an approval, a call that is cancelled, and a new token. */
async function worksAndStays(
  recorded: Recorded,
  clientId: string,
  tokens: Tokens,
  more: Record<string, string>,
): Promise<void> {
  const client = await connected(recorded, tokens.access_token);
  const { tools } = (await messageIn(await client.post('tools/list', {}))).result as {
    tools: { name: string; _meta?: { ui?: object } }[];
  };
  // Both say that they show cards.
  expect(tools.find(({ name }) => name === 'create_file')?._meta?.ui).toBeDefined();
  expect((await messageIn(await client.call('hello', { name: 'Ada' }))).result).toMatchObject({
    isError: false,
    structuredContent: { greeting: 'Hello, Ada!' },
  });

  const waiting = await client.begin('write_memory_entry', client.entry('that its owner lets run'));
  const question = await waiting.until('elicitation/create');
  const text = JSON.stringify(question.params);
  const code = /\/approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(text)?.[1] ?? '';
  expect((await client.answer(question, { action: 'accept', content: {} })).status).toBe(202);
  expect(await gateNamed('owner').approval(code)).toMatchObject({ state: 'pending' });
  await gateNamed('owner').decide(code, 'approve', 'owner', true);
  expect((await waiting.end()).at(-1)).toMatchObject({ result: { isError: false } });

  const dropped = await client.begin('write_memory_entry', client.entry('that its caller drops'));
  const asked = JSON.stringify((await dropped.until('elicitation/create')).params);
  const withdrawn = /\/approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(asked)?.[1] ?? '';
  expect((await client.cancel(dropped)).status).toBe(202);
  expect((await dropped.end()).some((message) => message.result !== undefined)).toBe(false);
  expect(await gateNamed('owner').decide(withdrawn, 'approve', 'owner', true)).toMatchObject({
    refused: 'approval_expired',
  });

  // VS Code ends its session so, and takes any answer.
  expect((await client.leave()).status).toBe(405);

  const refreshed = await token({
    ...{ client_id: clientId, grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...more },
  });
  expect(refreshed.status).toBe(200);
  const again = await connected(recorded, (await refreshed.json<Tokens>()).access_token);
  expect((await messageIn(await again.call('hello', {}))).result).toMatchObject({ isError: false });
}
