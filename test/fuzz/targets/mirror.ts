import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { packTar } from 'modern-tar';
import { SHA } from '../../../src/core/git-blob.ts';
import { ArchiveRefused, filesInArchive } from '../../../src/mirror/archive.ts';
import { type Announced, githubHook } from '../../../src/mirror/github-hook.ts';
import { bytesIn, inputOf, mixedJson, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const SECRET = 'a secret of the hook';
const push = {
  ref: 'refs/heads/main',
  after: 'a'.repeat(40),
  deleted: false,
  repository: { full_name: 'Ada/Notes', pushed_at: 1_700_000_000 },
};
const signed = (body: string) =>
  `sha256=${createHmac('sha256', SECRET).update(Buffer.from(body, 'latin1')).digest('hex')}`;

const webhook = target({
  name: 'webhook',
  isBinary: true,
  // Begins with how it is sent: s for signed, f for a form, u for a signature of something else.
  seeds: [
    `s${JSON.stringify(push)}`,
    `f${new URLSearchParams({ payload: JSON.stringify({ ...push, after: 'b'.repeat(64) }) })}`,
    `u${JSON.stringify(push)}`,
    `s${JSON.stringify({ ...push, repository: { ...push.repository, pushed_at: '2024-01-01T00:00:00Z' } })}`,
  ],
  grammar: fc
    .tuple(fc.constantFrom('s', 'f', 'u'), mixedJson([push]))
    .map(([how, text]) => how + utf8(how === 'f' ? new URLSearchParams({ payload: text }).toString() : text)),
  words: [
    'payload=',
    '%',
    '&',
    '"deleted":true',
    '"after":"',
    '0'.repeat(40),
    'refs/heads/',
    'ada/notes',
    '1e308',
    '-1',
    '"__proto__":1',
  ],
  parse: async (input) => {
    const [how, body] = [input[0], input.slice(1)];
    const told: Announced[] = [];
    const hook = githubHook({
      github: { repo: 'ada/notes', branch: 'main', secret: SECRET },
      announce: async (announced) => {
        told.push(announced);
        return 'taken';
      },
    });
    const headers = {
      'x-github-event': 'push',
      'x-github-delivery': 'delivery-1',
      'x-hub-signature-256': how === 'u' ? signed(`${body} `) : signed(body),
      'content-type': how === 'f' ? 'application/x-www-form-urlencoded' : 'application/json',
    };
    const { status } = await hook.request('/hooks/github', {
      method: 'POST',
      headers,
      body: bytesIn(body).slice(),
    });
    return { how, status, told };
  },
  properties: {
    'what is not signed is not believed': ({ how, status, told }) => {
      if (how !== 'u') return;
      assert.equal(status, 401);
      assert.deepEqual(told, []);
    },
    'what is announced is a commit of the branch that is followed': ({ told, status }) => {
      assert.ok(status < 500);
      for (const { repo, branch, commit, pushedAt } of told) {
        assert.deepEqual([repo, branch], ['ada/notes', 'main']);
        assert.ok(SHA.test(commit) && !/^0+$/.test(commit));
        assert.ok(Number.isFinite(pushedAt), String(pushedAt));
      }
    },
  },
});

const tar = async (...files: readonly [name: string, body: string][]) =>
  inputOf(
    await packTar(
      files.map(([name, body]) => ({
        header: { name, size: body.length, mode: 0o755, type: 'file' as const },
        body,
      })),
    ),
  );
const plainTar = await tar(['repo-abc/README.md', 'hello'], ['repo-abc/src/a.ts', 'let a = 1;\n']);
const linkTar = inputOf(
  await packTar([
    { header: { name: 'r/', size: 0, type: 'directory' } },
    { header: { name: 'r/link', size: 0, type: 'symlink', linkname: 'a' } },
    { header: { name: `r/${'long/'.repeat(30)}a`, size: 1 }, body: 'x' },
  ]),
);
const LIMITS = { entries: 20, packedBytes: 100_000, unpackedBytes: 60_000, ratio: 60, ratioFrom: 10_000 };

/** A header's check sum made right again, so that more than the check sum is tried. */
function withSums(bytes: Uint8Array): Uint8Array {
  const mended = bytes.slice();
  for (let at = 0; at + 512 <= mended.length; at += 512) {
    if (Buffer.from(mended.subarray(at + 257, at + 262)).toString('latin1') !== 'ustar') continue;
    mended.fill(32, at + 148, at + 156);
    const sum = mended.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    mended.set(Buffer.from(`${sum.toString(8).padStart(6, '0')}\0 `), at + 148);
  }
  return mended;
}

const archive = target({
  name: 'archive',
  isBinary: true,
  seeds: [`t${plainTar}`, `t${linkTar}`, `z${inputOf(gzipSync(Buffer.from(plainTar, 'latin1')))}`],
  grammar: fc
    .tuple(
      fc.constantFrom(
        '../x',
        '/etc/a',
        'repo-abc/../b',
        'C:\\a',
        'repo-abc/./b',
        'other/a',
        'repo-abc//a',
        'repo-abc/a\\b',
      ),
      fc.nat(300),
    )
    .map(
      ([name, at]) =>
        `t${plainTar.slice(0, 1024)}${(name + plainTar.slice(1024 + name.length)).slice(0, 1024)}${plainTar.slice(at)}`,
    ),
  words: [
    '../',
    '/',
    '\\',
    '0000644\0',
    '77777777777\0',
    '00000000000\0',
    'ustar\0',
    'g',
    'x',
    'L',
    '2',
    '5',
    '\x80\0\0\0',
    '\0'.repeat(512),
    '30 path=../../x\n',
  ],
  // Whatever a library says of a broken archive becomes the reason that is shown.
  refuses: [Error],
  parse: async (input) => {
    const bytes =
      input[0] === 'z' ? bytesIn(input.slice(1)) : gzipSync(withSums(bytesIn(input.slice(1))), { level: 1 });
    const files: { path: string; size: number; read: number }[] = [];
    const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
    for await (const { path, size, bytes: content } of filesInArchive(body, LIMITS)) {
      if (size > 1024 * 1024) continue;
      files.push({ path, size, read: files.length % 2 === 0 ? (await content()).length : size });
    }
    return files;
  },
  properties: {
    'no file leads out of its folder': (files) => {
      for (const { path } of files) {
        assert.equal(posix.normalize(path), path);
        assert.ok(
          path !== '' && !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\\'),
          path,
        );
      }
    },
    'a file is as long as it is said to be, and all is as little as allowed': (files) => {
      assert.ok(files.length <= LIMITS.entries);
      for (const { size, read } of files) assert.equal(read, size);
    },
  },
  refusals: {
    'it is refused by name, or for being damaged': (error) => {
      const isOurs = error instanceof ArchiveRefused;
      assert.ok(
        isOurs || !/is not a function|undefined|not iterable|Cannot read|Invalid array/.test(error.message),
        error.stack,
      );
    },
  },
});

export const mirror: readonly Target[] = [webhook, archive];
