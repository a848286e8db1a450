import { describe, it } from 'vitest';
import { MAX_SCHEMA_BYTES } from '../../../local-bridge/cli/doctor/tools.ts';
import { type BrokenGateway, doctorBench, on, silent } from '../../support/doctor-bench.ts';
import { type Break, GOOD_TOOL, type Reply, serverMetadata } from '../../support/doctor-gateway.ts';

const bench = doctorBench();
const metadata = (change: (origin: string) => object): Break =>
  on('/.well-known/oauth-authorization-server', ({ origin }) => ({
    body: { ...serverMetadata(origin), ...change(origin) },
  }));
const blocked: Reply = { status: 403, headers: { server: 'cloudflare' }, body: 'Your request was blocked.' };
const challenged: Reply = {
  status: 403,
  headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' },
  body: '<html><title>Just a moment...</title>',
};
const schemaOf = (bytes: number) => {
  const bare = { type: 'object', description: '' };
  return { ...bare, description: 'x'.repeat(bytes - JSON.stringify(bare).length) };
};

const set: BrokenGateway[] = [
  [
    'a wrong hostname',
    { instead: () => ({ status: 403, body: { code: 'forbidden_origin', message: 'no' } }) },
    'Address › reach the gateway',
    /bowline deploy --url/,
  ],
  [
    'something else than a gateway',
    on('/healthz', () => ({ body: { hello: 'there' } })),
    'Address › reach the gateway',
    /Worker is deployed/,
  ],
  [
    'a redirect',
    { instead: () => ({ status: 301, headers: { location: 'https://other.example/' } }) },
    'Address › reach the gateway',
    /redirect/,
  ],
  [
    'a Worker that cannot be reached behind the edge',
    { instead: () => ({ status: 522, body: 'error' }) },
    'Address › reach the gateway',
    /wrangler tail/,
  ],
  [
    'a proxy whose gateway is down',
    { instead: () => ({ status: 502, body: '<html><h1>502 Bad Gateway</h1></html>' }) },
    'Address › reach the gateway',
    /proxy send requests to its address and port/,
  ],
  [
    'a rate limit of a proxy',
    {
      instead: ({ agent }) =>
        agent === 'Claude-User' ? { status: 429, headers: { 'retry-after': '30' } } : undefined,
    },
    'Claude › first contact',
    /^Wait 30 seconds/,
  ],
  [
    'the gateway’s own rate limit',
    on('/oauth/register', () => ({ status: 429, body: { code: 'rate_limited' } })),
    'Claude › registration',
    /^Wait some minutes/,
  ],
  [
    'a connection that is cut without encryption',
    { instead: () => ({ cut: true }) },
    'Address › reach the gateway',
    /expect https:\/\/\?.*firewall/,
  ],
  [
    'an Authorization header that does not arrive',
    {
      instead: ({ path, bearer, origin }) =>
        path === '/mcp' && bearer
          ? {
              status: 401,
              headers: {
                'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
              },
            }
          : undefined,
    },
    'Claude › initialize',
    /header Authorization through/,
  ],
  [
    'an Accept header that does not arrive',
    { instead: ({ path, bearer }) => (path === '/mcp' && bearer ? { status: 406 } : undefined) },
    'Claude › initialize',
    /header Accept through/,
  ],
  ['a clock ahead', {}, 'Address › clock', /network time/, { now: () => Date.now() + 600_000 }],
  ['a clock behind', {}, 'Address › clock', /network time/, { now: () => Date.now() - 600_000 }],
  [
    'a PUBLIC_URL of another place',
    on('/.well-known/oauth-protected-resource/mcp', () => ({
      body: { resource: 'http://localhost:8787/mcp', authorization_servers: ['http://localhost:8787'] },
    })),
    'Address › own address',
    /PUBLIC_URL/,
  ],
  [
    'a resource that changes for Claude',
    on('/.well-known/oauth-protected-resource/mcp', ({ agent, origin }) => ({
      body: {
        resource: agent.startsWith('python') ? origin : `${origin}/mcp`,
        authorization_servers: [origin],
      },
    })),
    'Claude › resource metadata',
    /PUBLIC_URL/,
  ],
  [
    'a sign-in at another server',
    on('/.well-known/oauth-protected-resource/mcp', ({ origin }) => ({
      body: { resource: `${origin}/mcp`, authorization_servers: ['http://127.0.0.1:1'] },
    })),
    'Claude › resource metadata',
    /PUBLIC_URL/,
  ],
  [
    'a 401 without WWW-Authenticate',
    on('/mcp', () => ({ status: 401 })),
    'Claude › first contact',
    /WWW-Authenticate/,
  ],
  [
    'an /mcp that lets anybody in',
    on('/mcp', () => ({ body: {} })),
    'Claude › first contact',
    /in front of it/,
  ],
  [
    'another issuer',
    metadata(() => ({ issuer: 'https://other.example' })),
    'Claude › authorization server',
    /PUBLIC_URL/,
  ],
  [
    'no OAuth metadata',
    on('/.well-known/oauth-authorization-server', () => ({ status: 404 })),
    'Claude › authorization server',
    /well-known/,
  ],
  [
    'no PKCE with S256',
    metadata(() => ({ code_challenge_methods_supported: ['plain'] })),
    'Claude › PKCE',
    /well-known/,
  ],
  [
    'endpoints that mix https and http',
    metadata((origin) => ({ token_endpoint: `${origin.replace('http:', 'https:')}/oauth/token` })),
    'Claude › OAuth endpoints',
    /scheme included/,
  ],
  [
    'no way to register',
    metadata(() => ({ registration_endpoint: undefined })),
    'Claude › registration',
    /oauth/,
  ],
  [
    'a token endpoint that is a web page',
    on('/oauth/token', () => ({ body: '<html>' })),
    'Claude › token endpoint',
    /oauth/,
  ],
  [
    'slow discovery',
    on('/.well-known/oauth-authorization-server', () => silent),
    'Claude › authorization server',
    /wrangler tail/,
    { budgetMs: 400 },
  ],
  [
    'AI bots blocked after OAuth',
    { instead: ({ agent, bearer }) => (agent === 'Claude-User' && bearer ? blocked : undefined) },
    'Claude › initialize',
    /Block AI bots/,
  ],
  [
    'a challenge for ChatGPT alone',
    { instead: ({ agent, bearer }) => (agent.startsWith('openai-mcp') && bearer ? challenged : undefined) },
    'ChatGPT › initialize',
    /AI Crawl Control/,
  ],
  [
    'a sign-in blocked for ChatGPT',
    { instead: ({ agent }) => (agent.startsWith('openai-connectors') ? blocked : undefined) },
    'ChatGPT › resource metadata',
    /Block AI bots/,
  ],
  [
    'a tool name with a dot',
    { tools: [GOOD_TOOL, { ...GOOD_TOOL, name: 'notes.add' }] },
    'Claude › tool names',
    /server that was joined/,
  ],
  [
    'a tool name over 64 characters',
    { tools: [{ ...GOOD_TOOL, name: 'a'.repeat(65) }] },
    'Claude › tool names',
    /server that was joined/,
  ],
  ['the same tool twice', { tools: [GOOD_TOOL, GOOD_TOOL] }, 'Claude › tool names', /another name/],
  [
    'a schema of 16 KB',
    { tools: [{ ...GOOD_TOOL, inputSchema: schemaOf(MAX_SCHEMA_BYTES) }] },
    'Claude › tool schemas',
    /smaller schema/,
  ],
  [
    'a schema that is no object',
    { tools: [{ ...GOOD_TOOL, inputSchema: { type: 'array' } }] },
    'Claude › tool schemas',
    /author/,
  ],
  [
    'tools without hints',
    { tools: [{ ...GOOD_TOOL, annotations: {} }] },
    'Claude › tool hints',
    /Grade the tools of a joined server yourself/,
  ],
  ['an empty list', { tools: [] }, 'Claude › tool list', /--scopes/],
];

describe('doctor, at a gateway that apps cannot connect to', () => {
  it.each(set)('finds %s', (...broken) => bench.finds(broken));
});
