import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { failureIn } from '../../support/tools.ts';
import { entry, inMemory, PROGRESS } from './support.ts';
import { memoryTools, outputOf } from './tools.ts';

const codeOf = async (tools: ReturnType<typeof memoryTools>, path: string) => {
  const { code, http_status } = failureIn(await tools.read(path));
  return `${code} ${http_status}`;
};

describe('read_repo_file', () => {
  it.each([
    '.claude/memory/../x',
    '.claude/memory/../memory/progress_log.jsonl',
    '..',
    '../README.md',
    'docs/..',
    'docs/../.env',
    './README.md',
    'docs/./a.md',
    '/README.md',
    'docs//a.md',
    'docs/',
    '.env',
    '.ENV',
    'docs/.env',
    'docs/.env.local',
    'docs/.Env/a.md',
    'secrets/a.md',
    'docs/secrets/a.md',
    'docs/SECRETS/a.md',
    '.claude/memory/secrets/a.md',
    '.git/config',
    'docs/.git/config',
    'docs/.GIT/HEAD',
    'docs/id.key',
    'docs/id.KEY',
    'docs/cert.pem',
    'docs/cert.PeM',
    '.claude/memory/progress_log.pem',
    'src/worker.ts',
    'readme.md',
    'DOCS/a.md',
    '.claude/settings.json',
    '.claude/memory',
    '.claude/Memory/progress_log.jsonl',
  ])('keeps %s closed', async (path) => {
    expect(await codeOf(memoryTools(), path)).toBe('path_denied 403');
  });

  it.each(['docs/../a b', 'docs\\a.md', 'docs/a%2e', 'docs/\u0000', 'a'.repeat(257)])(
    'does not take %j for a path',
    async (path) => {
      expect(await codeOf(memoryTools(), path)).toBe('invalid_input 400');
    },
  );

  it.each(['README.md', 'CLAUDE.md', 'docs/a.md', 'paths/a/b.md', 'stacks/x', 'docs/environment.md'])(
    'says of %s that no repo was mirrored',
    async (path) => {
      expect(await codeOf(memoryTools(), path)).toBe('nothing_mirrored 404');
    },
  );

  it('names the files of the memory where another is asked for', async () => {
    const tools = memoryTools();
    const failure = failureIn(await tools.read('.claude/memory/notes.md'));
    expect(failure).toMatchObject({ code: 'nothing_mirrored', http_status: 404 });
    expect(failure.message).toContain('progress_log.jsonl, decisions.jsonl, best_practices.md');
    expect(await codeOf(tools, '.claude/memory/x/progress_log.jsonl')).toBe('nothing_mirrored 404');
  });

  it('says of a file without a line that there is none, and of its resource that it is empty', async () => {
    const tools = memoryTools();
    expect(await codeOf(tools, `.claude/memory/${PROGRESS}`)).toBe('file_not_found 404');
    const { result } = await tools.mcp('resources/read', { uri: `memory://${PROGRESS}` });
    expect(result?.contents).toEqual([
      { uri: `memory://${PROGRESS}`, mimeType: 'application/jsonl', text: '' },
    ]);
  });

  it('gives the time of the last entry, and no commit', async () => {
    const tools = memoryTools();
    await tools.write(PROGRESS, '{"n":1}');
    const { timestamp } = outputOf(await tools.write(PROGRESS, '{"n":2}'));
    const read = outputOf(await tools.read(`.claude/memory/${PROGRESS}`));
    expect(read).toMatchObject({ modified: timestamp, commit: null, size: 16 });
  });

  it('refuses a file over 1 MB, by its bytes, and so does its resource', async () => {
    const tools = memoryTools();
    // 128 lines of 8,192 bytes with their ends: one megabyte exactly.
    const body = (n: number) => `${`${n}`.padStart(3, '0')}${'é'.repeat(4_094)}`;
    await tools.memory.appendAll(Array.from({ length: 128 }, (_, n) => ({ ...entry(n), body: body(n) })));
    const path = `.claude/memory/${PROGRESS}`;
    expect(outputOf(await tools.read(path))).toMatchObject({ size: 1_048_576 });
    await tools.memory.append({ ...entry(999), body: 'x' });
    expect(await codeOf(tools, path)).toBe('file_too_large 413');
    const { error } = await tools.mcp('resources/read', { uri: `memory://${PROGRESS}` });
    expect(error?.message).toContain('1048578 bytes');
  });
});

describe('a memory that is locked', () => {
  it('says so everywhere, in words', async () => {
    const tools = memoryTools();
    await tools.write(PROGRESS, '{"n":1}');
    const stub = tools.memory.stub();
    await inMemory(stub, (sql) => sql.exec('DROP TRIGGER log_only_grows').toArray());
    await evictDurableObject(stub);
    const because = 'The memory is locked, because log_only_grows is missing.';
    const locked = { code: 'memory_locked', http_status: 503, message: because };
    expect(failureIn(await tools.write(PROGRESS, '{"n":1}'))).toMatchObject(locked);
    expect(await tools.look(PROGRESS, '{"n":2}')).toMatchObject({ kind: 'failed', failure: locked });
    expect(failureIn(await tools.read(`.claude/memory/${PROGRESS}`))).toMatchObject(locked);
    const { error } = await tools.mcp('resources/read', { uri: `memory://${PROGRESS}` });
    expect(error?.message).toContain(because);
  });
});

describe('the resources of the memory', () => {
  it('are its three files, and nothing else by that prefix', async () => {
    const { mcp } = memoryTools();
    const { result } = await mcp('resources/list');
    expect((result?.resources as { uri: string }[] | undefined)?.map(({ uri }) => uri)).toEqual([
      'memory://progress_log.jsonl',
      'memory://decisions.jsonl',
      'memory://best_practices.md',
    ]);
    for (const uri of ['memory://notes.md', 'memory://', 'memory://progress_log.jsonl/', 'memory://../x']) {
      expect((await mcp('resources/read', { uri })).error).toBeDefined();
    }
  });
});
