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
    id: 'streams-look',
    promise: 'Whether the token of a stream still counts is looked up where it is kept, not in a memory.',
    in: 'makeAuth',
    find: 'tokens.renewed',
    replace: 'tokens.lookup',
    tests: STREAMS,
    only: 'wherever that was done',
  },
  {
    id: 'streams-doubt',
    promise: 'A stream ends when nobody can say whether its token still counts.',
    in: 'watch',
    remove: 'Date.now() - sure >= DOUBT_MS',
    tests: STREAMS,
    only: 'nobody can say',
  },
  {
    id: 'held-call-end',
    promise: 'A held call whose token was revoked does not use a yes that comes later.',
    in: 'endWithCredential',
    remove: 'c.req.raw = new Request(sent, { signal: over.signal });',
    tests: ['held-requests.test.ts'],
    only: 'over REST',
  },
  {
    id: 'streams-scope',
    promise: 'A token without `read` hears nothing of changes to the memory or the repo.',
    in: 'mcpServerFactory',
    find: "caller.scopes.has('read') ? toReaders : toOthers",
    replace: 'toReaders',
    tests: STREAMS,
    only: 'without `read`',
  },
  {
    id: 'discover-scope',
    promise: 'What a remembered answer promises to tokens that may read is promised to no other.',
    in: 'ListCache.keyOf',
    find: "[version, mayRead, question, headers.get('accept'), headers.get('mcp-protocol-version'), headers.get('mcp-method'), headers.get('mcp-name')]",
    replace:
      "[version, question, headers.get('accept'), headers.get('mcp-protocol-version'), headers.get('mcp-method'), headers.get('mcp-name')]",
    tests: STREAMS,
    only: 'as far as it is kept',
  },
  {
    id: 'sign-out-access',
    promise: 'An app that signs out is shut out at once, whatever storage still holds.',
    in: 'tokenRoutes',
    remove: 'await owner().endAccess(granted.grant.props.accessId);',
    tests: STREAMS,
    only: 'in storage still',
  },
];
