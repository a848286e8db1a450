import assert from 'node:assert/strict';
import { hasUnseen } from '../../../src/core/visible.ts';
import { beginSignIn } from '../../../src/joined/sign-in.ts';
import { mixedJson } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const METADATA = {
  resource: { resource: 'https://joined.example/mcp', authorization_servers: ['https://auth.example/'] },
  server: {
    issuer: 'https://auth.example/',
    authorization_endpoint: 'https://auth.example/authorize',
    token_endpoint: 'https://auth.example/token',
    registration_endpoint: 'https://auth.example/register',
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  },
  client: { client_id: 'c', redirect_uris: ['https://own.example/servers/callback'] },
};

export const oauth: Target = target({
  name: 'oauth-metadata',
  seeds: [JSON.stringify(METADATA), JSON.stringify({ ...METADATA, resource: null })],
  grammar: mixedJson([METADATA]),
  words: [
    'http://evil.example',
    'javascript:alert(1)',
    'https://auth.example/',
    'http://127.0.0.1/a',
    '"authorization_endpoint":',
    'file:///etc/passwd',
    '""',
    'null',
  ],
  refuses: [SyntaxError],
  parse: async (input) => {
    const said = JSON.parse(input) as Partial<typeof METADATA> | null;
    const fetched: string[] = [];
    const fetch = async (asked: string | URL | Request) => {
      const url = asked instanceof Request ? asked.url : String(asked);
      fetched.push(url);
      const body = /protected-resource/.test(url)
        ? said?.resource
        : /well-known/.test(url)
          ? said?.server
          : said?.client;
      return body === undefined || body === null ? new Response(null, { status: 404 }) : Response.json(body);
    };
    const gate = () => ({ serverSecret: async () => null, keepServerSecret: async () => undefined });
    const reach = { gate, fetch, origin: 'https://own.example', events: { publish: () => undefined } };
    return beginSignIn({ name: 'joined', url: 'https://joined.example/mcp' }, reach as never);
  },
  properties: {
    'the owner is sent to an encrypted page alone': (answer) => {
      if (!('url' in answer)) return;
      const { protocol, hostname, searchParams } = new URL(answer.url);
      assert.ok(protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname), answer.url);
      assert.equal(searchParams.get('code_challenge_method'), 'S256');
      assert.equal(searchParams.get('redirect_uri'), 'https://own.example/servers/callback');
    },
    'a problem is said in harmless words': (answer) => {
      if ('problem' in answer) assert.ok(answer.problem.length <= 300 && !hasUnseen(answer.problem));
    },
  },
});
