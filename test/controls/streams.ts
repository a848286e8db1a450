import type { Control } from './control.ts';

const STREAMS = ['open-streams.test.ts'];

/** What ends with its token or session, and who hears of changes. */
export const streams: readonly Control[] = [
  {
    id: 'streams-end',
    promise: 'Streams and held requests end with their token or session.',
    in: 'routes',
    remove: 'endWithCredential(ports.leash)',
    tests: STREAMS,
  },
  {
    id: 'cut-off-told',
    promise:
      'Whose token ends while a call is under way is told that it may have run, and nothing of its result.',
    in: 'refusalOf',
    find: 'mayHaveRun ? CUT_OFF : undefined',
    replace: 'undefined',
    tests: ['held-requests.test.ts'],
  },
  {
    id: 'streams-look',
    promise: 'The token of a stream is checked where it is stored, not in a cache.',
    in: 'makeAuth',
    find: 'tokens.renewed',
    replace: 'tokens.lookup',
    tests: STREAMS,
    only: 'wherever that was done',
  },
  {
    id: 'streams-doubt',
    promise: 'A stream ends if the gateway cannot check its token.',
    file: 'credential-watch.ts',
    in: 'watch',
    remove: 'doubt >= DOUBT_MS',
    tests: STREAMS,
    only: 'nobody can say',
  },
  {
    id: 'streams-told',
    promise:
      'A request that lasts learns at once that its credential may have ended, though every object slept.',
    file: 'owner-object.ts',
    in: 'OwnerObject.#told',
    remove: "this.#listeners.tell('look');",
    tests: ['idle.test.ts'],
    only: 'ends the wait of a page',
  },
  {
    id: 'streams-settle',
    promise: 'After a change, the token of an app is looked up for a minute, because its store may lag.',
    file: 'credential-watch.ts',
    in: 'watch',
    remove: 'if (lags) settled = Date.now() + SETTLE_MS;',
    tests: ['credential-watch.test.ts'],
    only: 'for a minute after news',
  },
  {
    id: 'held-call-end',
    promise: 'A held call whose token was revoked does not use a later approval.',
    in: 'endWithCredential',
    remove: 'c.req.raw = new Request(sent, { signal: over.signal });',
    tests: ['held-requests.test.ts'],
    only: 'over REST',
  },
  {
    id: 'held-call-end-mcp',
    promise: 'Neither does one over MCP, which asks for the end of its request by itself.',
    in: 'mcpOverHttp',
    find: 'const gone = endOf(sent);',
    replace: 'const gone = new AbortController();',
    tests: ['held-requests.test.ts'],
    only: 'over MCP',
  },
  {
    id: 'streams-scope',
    promise: 'A token without `read` gets no news of changes to the memory or the repo.',
    in: 'mcpServerFactory',
    find: "caller.scopes.has('read') ? toReaders : toOthers",
    replace: 'toReaders',
    tests: STREAMS,
    only: 'without `read`',
  },
  {
    id: 'discover-scope',
    promise: 'A remembered answer for tokens that may read goes to no other token.',
    in: 'ListCache.keyOf',
    find: "[version, who, question, headers.get('accept'), headers.get('mcp-protocol-version'), headers.get('mcp-method'), headers.get('mcp-name')]",
    replace:
      "[version, question, headers.get('accept'), headers.get('mcp-protocol-version'), headers.get('mcp-method'), headers.get('mcp-name')]",
    tests: STREAMS,
    only: 'as far as it is kept',
  },
  {
    id: 'sign-out-access',
    promise: 'An app that signs out loses access at once, whatever a cache still contains.',
    in: 'tokenRoutes',
    remove: 'await owner().endAccess(granted.grant.props.accessId);',
    tests: STREAMS,
    only: 'in storage still',
  },
];
