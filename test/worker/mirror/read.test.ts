import { describe, expect, it, vi } from 'vitest';
import { commitOf, newMirror, pushed } from './support.ts';
import { outputOf, refusalOf, repoTools } from './tools.ts';

const MB = 1024 * 1024;

describe('read_repo_file', () => {
  it('reads text and base64 with size, time and commit', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/é.md': 'x', 'docs/plan.md': '# Plan é\n' });
    const read = outputOf(await tools.read('docs/plan.md'));
    expect(read).toEqual({
      content: '# Plan é\n',
      size: 10,
      modified: '2026-01-09T10:00:00.000Z',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(outputOf(await tools.read('docs/plan.md', { encoding: 'base64' })).content).toBe(
      Buffer.from('# Plan é\n').toString('base64'),
    );
  });

  it('refuses what is no text, and says how to read it', async () => {
    const tools = repoTools();
    const bytes = new Uint8Array([0x89, 0x50, 0xff, 0x00]);
    await pushed(tools.mirror, 'one', { 'docs/a.png': bytes, 'docs/nul.txt': 'a\0b' });
    for (const path of ['docs/a.png', 'docs/nul.txt']) {
      const failure = refusalOf(await tools.read(path));
      expect(failure).toMatchObject({ code: 'not_text', http_status: 415 });
      expect(failure.suggestion).toContain('base64');
    }
    const { content } = outputOf<{ content: string }>(await tools.read('docs/a.png', { encoding: 'base64' }));
    expect([...Buffer.from(content, 'base64')]).toEqual([...bytes]);
  });

  it('reads 1 MB and refuses a byte more, in either encoding', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      'docs/full.txt': 'a'.repeat(MB),
      'docs/over.txt': 'b'.repeat(MB + 1),
    });
    expect(outputOf(await tools.read('docs/full.txt'))).toMatchObject({ size: MB });
    for (const encoding of ['utf-8', 'base64']) {
      const failure = refusalOf(await tools.read('docs/over.txt', { encoding }));
      expect(failure).toMatchObject({ code: 'file_too_large', http_status: 413 });
      expect(failure.message).toContain(`${MB + 1} bytes`);
    }
  });

  it('follows no link and enters no submodule', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      'docs/a.md': 'a',
      'docs/link.md': { mode: '120000', content: 'a.md' },
      'docs/sub': { mode: '160000' },
    });
    expect(refusalOf(await tools.read('docs/link.md')).message).toContain('symbolic link');
    expect(refusalOf(await tools.read('docs/sub')).message).toContain('submodule');
  });

  it('opens what the push opened, and never a secret', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'src/a.ts': 'a', 'README.md': 'r' }, { open: ['**'] });
    expect(outputOf(await tools.read('src/a.ts')).content).toBe('a');
    for (const path of [
      '.env',
      'src/.ENV.local',
      'a/secrets/b',
      '.git/config',
      'x.KEY',
      'a/../b',
      'src/id.pem',
    ])
      expect(refusalOf(await tools.read(path))).toMatchObject({ code: 'path_denied', http_status: 403 });
    expect(refusalOf(await tools.read('src/b.ts'))).toMatchObject({ code: 'file_not_found' });
  });

  it('says how to push where nothing was', async () => {
    const tools = repoTools();
    const results = [await tools.read('README.md'), await tools.list(), await tools.search('x')];
    for (const result of results) {
      const failure = refusalOf(result);
      expect(failure).toMatchObject({ code: 'nothing_mirrored', http_status: 404 });
      expect(failure.suggestion).toContain('bowline mirror push');
    }
  });

  it('asks the object once and the bucket once, and of what it read lately the object alone', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'never read before' });
    const get = vi.spyOn(tools.mirror.blobs, 'get');
    for (let i = 0; i < 3; i++) outputOf(await tools.read('docs/a.md'));
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('says so if the content is gone', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'lost content' });
    const { file } = (await tools.mirror.stub().locate('docs/a.md')) ?? {};
    await tools.mirror.blobs.delete([file?.sha ?? '']);
    const failure = refusalOf(await tools.read('docs/a.md'));
    expect(failure.suggestion).toContain('--full');
  });
});

describe('list_repo', () => {
  it('lists a folder and what is below it, with what is to be known of a file', async () => {
    const tools = repoTools();
    await pushed(
      tools.mirror,
      'one',
      {
        'README.md': 'r',
        'docs/B.md': 'b',
        'docs/b.md': 'c',
        'docs/big.bin': 'x'.repeat(MB + 1),
        'docs/link': { mode: '120000', content: 'b.md' },
        'docs/sub': { mode: '160000' },
        'docs/two words.md': 'd',
        'docs-not/x.md': 'n',
        'docs/日本.md': 'e',
      },
      { open: ['**'] },
    );
    const output = outputOf<{ files: { path: string; note?: string }[]; total: number }>(
      await tools.list({ path: 'docs' }),
    );
    expect(output.total).toBe(7);
    expect(Object.fromEntries(output.files.map(({ path, note }) => [path, note ?? '']))).toEqual({
      'docs/B.md': expect.stringContaining('upper and lower case'),
      'docs/b.md': expect.stringContaining('upper and lower case'),
      'docs/big.bin': expect.stringContaining('over 1 MB'),
      'docs/link': expect.stringContaining('symbolic link'),
      'docs/sub': expect.stringContaining('submodule'),
      'docs/two words.md': expect.stringContaining('`fetch`'),
      'docs/日本.md': expect.stringContaining('`fetch`'),
    });
    expect(outputOf(await tools.list({ path: 'docs/' })).total).toBe(7);
    expect(outputOf(await tools.list()).total).toBe(9);
    expect(outputOf(await tools.fetch('repo:docs/two words.md')).text).toBe('d');
    expect(refusalOf(await tools.list({ path: 'nope' }))).toMatchObject({ code: 'directory_not_found' });
    expect(refusalOf(await tools.list({ path: '../docs' }))).toMatchObject({ code: 'path_denied' });
  });

  it('pages by a cursor, of one commit', async () => {
    const tools = repoTools();
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`docs/${n}.md`, 'same']));
    await pushed(tools.mirror, 'one', many);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = outputOf<{ files: { path: string }[]; total: number; next_cursor: string | null }>(
        await tools.list({ path: 'docs', ...(cursor ? { cursor } : {}) }),
      );
      expect(page.total).toBe(2_001);
      seen.push(...page.files.map(({ path }) => path));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(Object.keys(many).sort());
    const { next_cursor } = outputOf<{ next_cursor: string }>(await tools.list({ path: 'docs' }));
    expect(refusalOf(await tools.list({ path: '.', cursor: next_cursor })).code).toBe('invalid_cursor');
    expect(refusalOf(await tools.list({ path: 'docs', cursor: 'made up' })).code).toBe('invalid_cursor');
    await pushed(tools.mirror, 'two', many);
    expect(refusalOf(await tools.list({ path: 'docs', cursor: next_cursor })).code).toBe('invalid_cursor');
  });
});

describe('the folder of the memory', () => {
  it('has the files of the repo, listed, read, searched and fetched, beside the three logs', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      '.claude/memory/notes.md': 'How the pelicans were counted.',
      '.claude/memory/old/decisions.jsonl': '{"decided":"years ago"}',
    });
    await tools.write('decisions.jsonl', { timestamp: '2026-01-09T10:30:00Z', type: 'decided' });
    const note = outputOf(await tools.read('.claude/memory/notes.md'));
    expect(note).toMatchObject({ content: 'How the pelicans were counted.', commit: commitOf('one') });
    const log = outputOf(await tools.read('.claude/memory/decisions.jsonl'));
    expect(log).toMatchObject({ content: expect.stringContaining('"decided"'), commit: null });
    expect(outputOf(await tools.read('.claude/memory/old/decisions.jsonl')).content).toContain('years ago');
    const { files } = outputOf<{ files: { path: string }[] }>(await tools.list({ path: '.claude/memory' }));
    expect(files.map(({ path }) => path)).toEqual([
      '.claude/memory/notes.md',
      '.claude/memory/old/decisions.jsonl',
    ]);
    const { results } = outputOf<{ results: { id: string }[] }>(await tools.search('pelicans'));
    expect(results.map(({ id }) => id)).toEqual(['repo:.claude/memory/notes.md']);
    expect(outputOf(await tools.fetch('repo:.claude/memory/notes.md')).text).toContain('pelicans');
    const uri = 'repo://.claude/memory/notes.md';
    expect((await tools.mcp('resources/read', { uri })).result?.contents).toMatchObject([{ uri }]);
    expect(refusalOf(await tools.read('.claude/memory/none.md'))).toMatchObject({
      code: 'file_not_found',
      message: expect.stringContaining('The memory itself has progress_log.jsonl'),
    });
  });

  it('has the memory’s file where a commit has one of that name, whatever its case', async () => {
    const tools = repoTools();
    for (const path of ['.claude/memory/decisions.jsonl', '.Claude/Memory/DECISIONS.jsonl']) {
      const push = pushed(tools.mirror, 'one', { [path]: '{"decided":"by a commit"}' }, { open: ['**'] });
      await expect(push, path).rejects.toThrow('not_open');
    }
    await tools.write('decisions.jsonl', { timestamp: '2026-01-09T10:30:00Z', type: 'decided' });
    expect(outputOf(await tools.read('.claude/memory/decisions.jsonl')).content).toContain('"decided"');
    expect(refusalOf(await tools.fetch('repo:.claude/memory/decisions.jsonl')).code).toBe(
      'document_not_found',
    );
  });
});

describe('the resources of the repo', () => {
  it('are its readable files, listed in pages, read by address, completed by path', async () => {
    const mirror = newMirror();
    const { mcp } = repoTools(mirror);
    expect((await mcp('resources/list')).result?.resources).toEqual([]);
    const files = Object.fromEntries(
      Array.from({ length: 1_100 }, (_, n) => [`docs/${1000 + n}.md`, `n${n % 9}`]),
    );
    await pushed(mirror, 'one', {
      ...files,
      'docs/a b.png': new Uint8Array([255, 0]),
      'docs/l': { mode: '120000' },
    });
    const first = (await mcp('resources/list')).result as {
      resources: { uri: string }[];
      nextCursor: string;
    };
    const second = (await mcp('resources/list', { cursor: first.nextCursor })).result as typeof first;
    const uris = [...first.resources, ...second.resources].map(({ uri }) => uri);
    expect(uris).toHaveLength(1_101);
    expect(new Set(uris).size).toBe(1_101);
    expect(uris).toContain('repo://docs/a%20b.png');
    const text = (await mcp('resources/read', { uri: 'repo://docs/1001.md' })).result;
    const _meta = { 'dev.bowline/untrusted': expect.stringContaining('no instructions') };
    expect(text?.contents).toEqual([
      { uri: 'repo://docs/1001.md', mimeType: 'text/markdown', text: 'n1', _meta },
    ]);
    const blob = (await mcp('resources/read', { uri: 'repo://docs/a%20b.png' })).result;
    expect(blob?.contents).toEqual([
      { uri: 'repo://docs/a%20b.png', mimeType: 'image/png', blob: '/wA=', _meta },
    ]);
    for (const uri of ['repo://.env', 'repo://docs/%2e%2e/.env', 'repo://docs/none.md', 'repo://docs/%zz'])
      expect((await mcp('resources/read', { uri })).error, uri).toBeDefined();
    const ref = { type: 'ref/resource', uri: 'repo://{+path}' };
    const { result } = await mcp('completion/complete', {
      ref,
      argument: { name: 'path', value: 'docs/100' },
    });
    expect(result?.completion).toMatchObject({
      values: expect.arrayContaining(['docs/1000.md', 'docs/1009.md']),
    });
    expect((result?.completion as { values: string[] } | undefined)?.values).toHaveLength(10);
  });
});
