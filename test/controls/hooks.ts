import type { Control } from './control.ts';

const HOOK = ['hook.test.ts'];
const ARCHIVE = ['archive.test.ts'];

/** What the gateway fetches when GitHub tells it of a push. */
export const hooks: readonly Control[] = [
  {
    id: 'hook-hmac',
    promise: "GitHub's webhook is accepted only with the right HMAC.",
    tests: HOOK,
    in: 'githubHook',
    find: "!isSigned(body, c.req.header('x-hub-signature-256'), secret)",
    replace: 'false',
  },
  {
    id: 'hook-secret',
    promise: "A webhook's secret needs a minimum length.",
    tests: HOOK,
    in: 'githubHook',
    remove: 'secret.length < MIN_SECRET_CHARS',
  },
  {
    id: 'hook-replay-id',
    promise: 'A delivery is accepted once, by its id.',
    tests: HOOK,
    in: 'githubHook',
    remove: '`id:${delivery}`',
  },
  {
    id: 'hook-replay-body',
    promise: 'A delivery is accepted once, by its content.',
    tests: HOOK,
    in: 'githubHook',
    remove: "`body:${createHash('sha256').update(body).digest('hex')}`",
  },
  {
    id: 'archive-paths',
    promise: 'The files of an archive are mirrored by the same rules as a push.',
    in: 'takeArchive',
    remove: 'if (!isMirrored(path, { open })) continue;',
    tests: ARCHIVE,
  },
  {
    id: 'archive-names',
    promise: 'An archive with a name that leads elsewhere is refused.',
    tests: ARCHIVE,
    in: 'placeOf',
    find: "parts.some((part) => ['', '.', '..'].includes(part))",
    replace: 'false',
  },
  {
    id: 'archive-types',
    promise: 'An archive with devices, pipes or hard links is refused.',
    tests: ARCHIVE,
    in: 'filesInArchive',
    find: "type !== 'directory'",
    replace: 'false',
  },
  {
    id: 'archive-entries',
    promise: 'An archive has a limit of entries.',
    tests: ARCHIVE,
    in: 'filesInArchive',
    find: 'count > limits.entries',
    replace: 'false',
  },
  {
    id: 'archive-ratio',
    promise: 'An archive has a limit on what it unpacks to: a bomb is stopped early.',
    tests: ARCHIVE,
    in: 'unpacked',
    find: 'unpackedBytes > limits.ratioFrom && unpackedBytes > limits.ratio * packedBytes',
    replace: 'false',
  },
];
