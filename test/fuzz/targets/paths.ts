import assert from 'node:assert/strict';
import { mkdirSync, readSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import fc from 'fast-check';
import { isOpenPath } from '../../../local-bridge/tools/workspace/closed-names.ts';
import { namesIn, shown } from '../../../local-bridge/tools/workspace/path-rules.ts';
import { isRefusal } from '../../../local-bridge/tools/workspace/refusal.ts';
import { openWorkspace, type Workspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { isNeverReadable, isReadable } from '../../../src/core/path-policy.ts';
import { texts } from '../inputs.ts';
import { scratchFolder } from '../scratch.ts';
import { type Target, target } from '../target.ts';

const WORDS = [
  ...[
    '/',
    '\\',
    '..',
    '.',
    '../',
    './',
    '~',
    'C:',
    '//',
    'con',
    'NUL.txt',
    'a~1',
    ':',
    'name.',
    'name ',
    '\0',
    '%2e%2e',
  ],
  ...[
    '.git',
    '.GIT',
    '.env',
    '.ssh',
    'id_rsa',
    'config',
    'hooks',
    'secrets',
    'a.pem',
    'ＡＵＸ',
    '\u202e',
    'e\u0301',
    'é',
    '．．',
    '／',
  ],
  ...[
    'link',
    'outside',
    'folder',
    'file.txt',
    '\u200b',
    'ﬁ',
    'ſ',
    'K',
    '.ｅnv',
    '.bowline',
    'COM¹',
    'LPT0',
    '\uff0f',
  ],
];
const SEEDS = [
  'src/main.ts',
  '.',
  'folder/file.txt',
  'docs/a b/c-d_e.md',
  '.github/workflows/ci.yml',
  'link/file.txt',
];
const grammar = texts([...WORDS, 'a', 'b/'], 8);

const names = target({
  name: 'paths',
  seeds: SEEDS,
  grammar,
  words: WORDS,
  parse: namesIn,
  properties: {
    'a path that is taken stays below its root on every system': (taken, input) => {
      if (isRefusal(taken)) return;
      assert.ok(!posix.isAbsolute(input) && !win32.isAbsolute(input));
      const here = posix.resolve('/root', input);
      assert.ok(here === '/root' || here.startsWith('/root/'));
      const there = win32.resolve('C:\\root', input);
      assert.ok(there === 'C:\\root' || there.startsWith('C:\\root\\'));
      assert.ok(win32.toNamespacedPath(there).startsWith('\\\\?\\C:\\root'));
    },
    'a path that is taken has one spelling': (taken, input) => {
      if (isRefusal(taken)) return;
      assert.equal(posix.normalize(input), input);
      assert.equal(input.normalize('NFC'), input);
      assert.equal(taken.join('/') || '.', input);
    },
    'no name in it means something else to Windows': (taken) => {
      if (isRefusal(taken)) return;
      for (const name of taken) {
        assert.ok(!/[<>:"|?*]/.test(name) || !name.includes(':'));
        assert.ok(!/^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i.test(name), name);
        assert.ok(!/[. ]$/.test(name));
      }
    },
    'a path that is refused is shown in one harmless line': (taken) => {
      if (isRefusal(taken))
        assert.ok(!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(taken.message), JSON.stringify(taken.message));
    },
    'the better spelling that is told is taken': (taken) => {
      if (!isRefusal(taken)) return;
      const better = /^Write it as '([\s\S]*)'\.$/.exec(taken.suggestion ?? '')?.[1];
      if (better !== undefined) assert.ok(!isRefusal(namesIn(better)), better);
    },
  },
});

const closed = target({
  name: 'closed-names',
  seeds: [
    'src/main.ts',
    '.git/config',
    'a/.ENV.local',
    '.config/gh/hosts.yml',
    '.claude/settings.json',
    'Profile.ps1',
  ],
  grammar,
  words: WORDS,
  parse: (input) => ({ read: isOpenPath(input, 'read'), write: isOpenPath(input, 'write') }),
  properties: {
    'what may be changed may be read': ({ read, write }) => {
      assert.ok(read || !write);
    },
    'case opens nothing': ({ read, write }, input) => {
      for (const other of [input.toUpperCase().toLowerCase(), input.toLowerCase()]) {
        assert.deepEqual([isOpenPath(other, 'read'), isOpenPath(other, 'write')], [read, write], other);
      }
    },
    'what is closed stays closed with more around it': ({ read, write }, input) => {
      if (!read) assert.ok(!isOpenPath(`a/${input}/b`, 'read'));
      if (!write) assert.ok(!isOpenPath(`a/${input}/b`, 'write'));
    },
  },
});

const FORBIDDEN =
  /(?:^|\/)(?:\.env[^/]*|secrets|\.git)(?:\/|$)|\.(?:key|pem)$|(?:^|\/)\.\.?(?:\/|$)|^\/|\/\/|\/$|[\\\0]/i;

const patterns = target({
  name: 'repo-paths',
  seeds: ['**\ndocs/a.md', 'docs/**\ndocs/../.env', 'README.md\nREADME.md', 'docs/**\ndocs'],
  grammar: fc
    .tuple(fc.constantFrom('**', 'docs/**', 'a', 'folder/**', '../**'), grammar)
    .map((parts) => parts.join('\n')),
  words: [...WORDS, '**', '/**', '*', '\n'],
  parse: (input) => {
    const [pattern = '', path = ''] = input.split('\n');
    return { path, isOpen: isReadable(path, { open: [pattern] }) };
  },
  properties: {
    'what may be read is no secret, and inside': ({ path, isOpen }) => {
      if (isOpen) assert.ok(!FORBIDDEN.test(path) && posix.normalize(path) === path, path);
    },
    'case and width open nothing': ({ path }) => {
      if (isNeverReadable(path)) {
        for (const other of [path.toUpperCase(), path.toLowerCase()]) {
          // Some letters have no other case, or more than one.
          if (other.toLowerCase() === path.toLowerCase()) assert.ok(isNeverReadable(other), other);
        }
      }
    },
  },
});

let shop: { workspace: Workspace; folder: string } | undefined;

/** A folder with a file, and with links that lead out of it and back. */
function openShop(): Workspace {
  if (shop) return shop.workspace;
  const folder = scratchFolder();
  const root = join(folder, 'root');
  mkdirSync(join(root, 'folder'), { recursive: true });
  mkdirSync(join(root, '.ssh'));
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(root, 'file.txt'), 'inside');
  writeFileSync(join(root, 'folder', 'file.txt'), 'inside');
  writeFileSync(join(root, '.ssh', 'id_rsa'), 'closed');
  writeFileSync(join(root, '.env'), 'closed');
  writeFileSync(join(folder, 'outside', 'file.txt'), 'outside');
  symlinkSync('../outside', join(root, 'link'));
  symlinkSync('../../outside/file.txt', join(root, 'folder', 'link'));
  symlinkSync('folder', join(root, 'inner'));
  shop = { workspace: openWorkspace([{ path: root }]), folder };
  return shop.workspace;
}

const resolver = target({
  name: 'workspace',
  seeds: [
    'file.txt',
    'folder/file.txt',
    'link/file.txt',
    'folder/link',
    'inner/file.txt',
    '.ssh/id_rsa',
    '.',
  ],
  grammar: texts(
    [
      'file.txt',
      'folder',
      'link',
      'inner',
      'outside',
      '.ssh',
      '.env',
      'id_rsa',
      'root',
      '/',
      '..',
      '.',
      '\\',
      '//',
    ],
    7,
  ),
  words: WORDS,
  parse: (input) => {
    const workspace = openShop();
    const root = workspace.root();
    if (isRefusal(root)) throw new Error('There is no root.');
    const file = workspace.file(root, input, 'read');
    if (isRefusal(file)) return file;
    const bytes = Buffer.alloc(20);
    const text = bytes.toString('utf8', 0, readSync(file.fd, bytes, 0, 20, 0));
    file.close();
    return { text };
  },
  properties: {
    'a file that is opened is one inside, and open': (found) => {
      if ('text' in found) assert.equal(found.text, 'inside');
      else assert.ok(!found.message.includes('\n') && shown(found.message) !== '');
    },
  },
});

export const paths: readonly Target[] = [names, closed, patterns, resolver];
