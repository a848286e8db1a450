import type { Control } from './control.ts';

const STREAMS = { tests: ['test/worker/auth/open-streams.test.ts'] };

/** What ends with its token or session, and who hears of changes. */
export const streams: readonly Control[] = [
  {
    id: 'streams-end',
    promise: 'Streams and held requests end with their token or session.',
    file: 'src/worker.ts',
    find: ', endWithCredential(ports.leash));',
    replace: ');',
    ...STREAMS,
  },
  {
    id: 'streams-look',
    promise: 'Whether the token of a stream still counts is looked up where it is kept, not in a memory.',
    file: 'src/owner/auth.ts',
    find: '(await tokens.renewed(token)) !== undefined',
    replace: '(await tokens.lookup(token)) !== undefined',
    ...STREAMS,
    only: 'wherever that was done',
  },
  {
    id: 'streams-doubt',
    promise: 'A stream ends when nobody can say whether its token still counts.',
    file: 'src/owner/leash.ts',
    find: ' || Date.now() - sure >= DOUBT_MS',
    replace: '',
    ...STREAMS,
    only: 'nobody can say',
  },
  {
    id: 'held-call-end',
    promise: 'A held call whose token was revoked does not use a yes that comes later.',
    file: 'src/owner/leash.ts',
    find: 'c.req.raw = new Request(sent, { signal: over.signal });',
    replace: '',
    tests: ['test/worker/auth/held-requests.test.ts'],
    only: 'over REST',
  },
  {
    id: 'streams-scope',
    promise: 'A token without `read` hears nothing of changes to the memory or the repo.',
    file: 'src/surfaces/mcp.ts',
    find: "caller.scopes.has('read') ? toReaders : toOthers",
    replace: 'toReaders',
    ...STREAMS,
    only: 'without `read`',
  },
  {
    id: 'discover-scope',
    promise: 'What a remembered answer promises to tokens that may read is promised to no other.',
    file: 'src/surfaces/list-cache.ts',
    find: '      mayRead,\n',
    replace: '',
    ...STREAMS,
    only: 'as far as it is kept',
  },
  {
    id: 'sign-out-access',
    promise: 'An app that signs out is shut out at once, whatever storage still holds.',
    file: 'src/api/token-routes.ts',
    find: 'await owner().endAccess(granted.grant.props.accessId);',
    replace: '',
    ...STREAMS,
    only: 'in storage still',
  },
];
