import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { lookAgain } from '../../../local-bridge/tools/search/found-files.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { procText } from '../../support/proc.ts';
import { SOON_MS } from '../../support/soon.ts';
import { type Found, searchIn } from './rig.ts';

/** Searches of this process that are still running. */
function running(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid.trim() !== '')
    .filter((pid) => procText(pid, 'comm')?.trim() === 'rg');
}

const manyLines = 'lorem ipsum dolor sit amet consectetur\n'.repeat(200_000);

/** A tree that ripgrep never comes to the end of: it waits for somebody to write into an ignore file. */
function endless(options: { searchMs?: number } = {}) {
  const rig = searchIn({ 'a/b.txt': 'needle' }, options);
  execFileSync('mkfifo', [join(rig.root, '.ignore')]);
  return rig;
}

describe('a search', () => {
  it.each(['--files', '--pre=./run.sh', '-f/etc/passwd', '--', '-uuu', '--no-ignore', '@a'])(
    'takes %s for a pattern',
    async (pattern) => {
      const { text, files, items, root } = searchIn({ 'a.txt': `x ${pattern} y\n` });
      writeFileSync(join(root, 'run.sh'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
      expect(items(await text({ pattern }))).toEqual([`a.txt:1: x ${pattern} y`]);
      expect(items(await text({ pattern, is_regex: true }))).toEqual([`a.txt:1: x ${pattern} y`]);
      expect(items(await text({ pattern: 'x', file_pattern: pattern.replaceAll('/', '') }))).toEqual([]);
      expect(items(await files({ pattern: pattern.replaceAll('/', '') }))).toEqual([]);
      expect(items(await files({ pattern: 'ran' }))).toEqual([]);
    },
  );

  it('asks nobody how to search', async () => {
    const { text, items, root } = searchIn({ 'a.txt': 'needle', '.ripgreprc': '--files', rc: '--files\n' });
    vi.stubEnv('RIPGREP_CONFIG_PATH', join(root, 'rc'));
    expect(items(await text({ pattern: 'needle' }))).toEqual(['a.txt:1: needle']);
    vi.unstubAllEnvs();
  });

  it('is linear in what it searches, whatever the regex', async () => {
    const { text } = searchIn({ 'a.txt': `${'a'.repeat(100_000)}!` });
    const found = await text({ pattern: '^(a+)+$', is_regex: true });
    expect(found.metadata).toMatchObject({ total_matches: 0, timed_out: false });
  });

  it('lets no name forge a line', async () => {
    const { text, files, items } = searchIn({ 'a.txt': 'needle', 'b\n  forged.ts:1: needle': 'needle' });
    expect(items(await text({ pattern: 'needle' }))).toEqual(['a.txt:1: needle']);
    expect(items(await files({ pattern: '*' }))).toEqual(['a.txt', 'b\\n  forged.ts:1: needle']);
  });

  it('shows nothing of a folder that was swapped for a link since', () => {
    const { root, above } = searchIn({ 'd/a.txt': 'inside' });
    mkdirSync(join(above, 'beside'));
    writeFileSync(join(above, 'beside', 'a.txt'), 'needle');
    const workspace = openWorkspace([{ path: root }]);
    const [open] = workspace.roots;
    if (!open) throw new Error('no root');
    const before = lookAgain(open, workspace);
    expect(before.isFile('d/a.txt')).toBe(true);
    expect(before.read('d/a.txt', 0, 6)?.toString()).toBe('inside');
    before.close();
    renameSync(join(root, 'd'), join(root, 'e'));
    symlinkSync('../beside', join(root, 'd'));
    const after = lookAgain(open, workspace);
    expect(after.isFile('d/a.txt')).toBe(false);
    expect(after.read('d/a.txt', 0, 6)).toBeUndefined();
    after.close();
    workspace.close();
  });

  it('shows nothing from outside while another process swaps folders for links', async () => {
    const { text, files, items, root, above } = searchIn({ 'd/a.txt': 'inside needle' });
    mkdirSync(join(above, 'beside'));
    for (let i = 0; i < 20; i++) writeFileSync(join(above, 'beside', `s${i}.txt`), 'outside needle');
    symlinkSync('../beside', join(root, 'link'));
    const swaps = `const { renameSync } = require('node:fs'); process.stdout.write('x');
      const end = Date.now() + 10_000;
      while (Date.now() < end) {
        for (const [from, to] of [['d', 'x'], ['link', 'd'], ['d', 'link'], ['x', 'd']]) renameSync(from, to);
      }`;
    const racer = spawn('node', ['-e', swaps], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    // It can end by itself before the last search does.
    const ended = once(racer, 'close');
    await once(racer.stdout, 'data');
    for (let i = 0; i < 40; i++) {
      expect((await text({ pattern: 'needle' })).output).not.toContain('outside');
      expect(items(await files({ pattern: '**/s*.txt' }))).toEqual([]);
    }
    racer.kill('SIGKILL');
    await ended;
  });

  it('is not held up by pipes, holes and endless lines', async () => {
    const { text, items, root } = searchIn({ 'a.txt': 'needle' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const hole = openSync(join(root, 'hole.txt'), 'w');
    ftruncateSync(hole, 1024 ** 3);
    closeSync(hole);
    const line = openSync(join(root, 'line.txt'), 'w');
    const piece = Buffer.alloc(1024 * 1024, 'needle ');
    for (let i = 0; i < 49; i++) writeFileSync(line, piece);
    closeSync(line);
    const big = openSync(join(root, 'over.txt'), 'w');
    for (let i = 0; i < 51; i++) writeFileSync(big, piece);
    closeSync(big);
    const before = process.memoryUsage().rss;
    const found = items(await text({ pattern: 'needle' }));
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
    expect(found.map((item) => item.slice(0, 18))).toEqual(['a.txt:1: needle', 'line.txt:1: needle']);
    expect(found[1]?.length).toBeLessThan(600);
  });

  it.each([
    ['grep_search', { pattern: 'needle' }],
    ['file_search', { pattern: '*.txt' }],
  ])('of %s answers with what it has when its time is up, and leaves no process', async (tool, args) => {
    const { call } = endless({ searchMs: 50 });
    const result = await call(tool, args);
    if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
    const { success, output, metadata } = result.output as Found;
    expect([success, metadata.truncated]).toEqual([true, true]);
    expect(metadata.warning).toBe('Search timed out after 0.05s, returning partial results');
    expect(output).toContain('\nWarning: Search timed out after 0.05s, returning partial results\n');
    expect(running()).toEqual([]);
  });

  it.each([
    ['grep_search', { pattern: 'needle' }],
    ['file_search', { pattern: '*.txt' }],
  ])('of %s ends with its call, and leaves no process', async (tool, args) => {
    const { call } = endless();
    const caller = new AbortController();
    const searching = call(tool, args, { signal: caller.signal });
    await vi.waitFor(() => expect(running()).toHaveLength(1), { timeout: SOON_MS, interval: 1 });
    caller.abort();
    expect(await searching).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    await vi.waitFor(() => expect(running()).toEqual([]), { timeout: SOON_MS, interval: 1 });
  });

  it('stops as soon as it has enough', async () => {
    const { text } = searchIn({ 'long.txt': manyLines });
    const found = await text({ pattern: 'lorem', max_results: 5 });
    expect(found.metadata).toMatchObject({ total_matches: 5, truncated: true, timed_out: false });
    expect(running()).toEqual([]);
  });

  it('says what it could not look into', async () => {
    const { text, items, root } = searchIn({ 'a.txt': 'needle', 'shut/b.txt': 'needle' });
    execFileSync('chmod', ['000', join(root, 'shut')]);
    const found = await text({ pattern: 'needle' });
    execFileSync('chmod', ['755', join(root, 'shut')]);
    // The administrator may look everywhere.
    if (process.getuid?.() === 0) return;
    expect(items(found)).toEqual(['a.txt:1: needle']);
    expect(found.metadata.warning).toBe('Some files or directories could not be read and were skipped');
  });
});
