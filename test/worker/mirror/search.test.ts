import { describe, expect, it } from 'vitest';
import { pushed } from './support.ts';
import { ORIGIN, outputOf, refusalOf, repoTools } from './tools.ts';

type Results = { results: { id: string; title: string; url: string }[] };

describe('search', () => {
  it('ranks a title over a path over a text, and answers in three fields', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      'docs/text.md': `# Other\n\n${'filler words here '.repeat(20)} lighthouse`,
      'docs/lighthouse/notes.txt': 'nothing of the kind',
      'docs/keeper.md': '# The lighthouse keeper\n\nwords',
    });
    const { results } = outputOf<Results>(await tools.search('lighthouse'));
    expect(results).toEqual([
      { id: 'repo:docs/keeper.md', title: 'The lighthouse keeper', url: `${ORIGIN}/repo/docs/keeper.md` },
      {
        id: 'repo:docs/lighthouse/notes.txt',
        title: 'docs/lighthouse/notes.txt',
        url: `${ORIGIN}/repo/docs/lighthouse/notes.txt`,
      },
      { id: 'repo:docs/text.md', title: 'Other', url: `${ORIGIN}/repo/docs/text.md` },
    ]);
  });

  it('puts what has no text after every page that has the word', async () => {
    const tools = repoTools();
    const image = new Uint8Array([0x89, 0x50, 0xff, 0xfe]);
    await pushed(tools.mirror, 'one', {
      'docs/img/lighthouse.png': image,
      'docs/text.md': `# Other\n\n${'filler words here '.repeat(20)} lighthouse`,
    });
    const ids = async () => outputOf<Results>(await tools.search('lighthouse')).results.map(({ id }) => id);
    expect(await ids()).toEqual(['repo:docs/text.md', 'repo:docs/img/lighthouse.png']);
    // At another path it is taken from the bucket, which must not make a text of it.
    await pushed(tools.mirror, 'two', {
      'docs/img/lighthouse.png': image,
      'docs/a/lighthouse.png': image,
      'docs/text.md': `# Other\n\n${'filler words here '.repeat(20)} lighthouse`,
    });
    expect((await ids())[0]).toBe('repo:docs/text.md');
  });

  it('finds in the memory too, line by line, and each can be fetched', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a b.md': '# Harbour plan\n' });
    await tools.write('best_practices.md', '- Paint the hull.');
    await tools.write('best_practices.md', '- Look at the harbour first.');
    const { results } = outputOf<Results>(await tools.search('harbour'));
    expect(results).toEqual([
      { id: 'repo:docs/a b.md', title: 'Harbour plan', url: `${ORIGIN}/repo/docs/a%20b.md` },
      {
        id: 'memory:best_practices.md#2',
        title: 'best_practices.md, line 2: - Look at the harbour first.',
        url: `${ORIGIN}/memory/best_practices.md?line=2#L2`,
      },
    ]);
    for (const { id, title, url } of results) {
      const found = outputOf(await tools.fetch(id));
      expect(found).toMatchObject({ id, title, url });
      expect(found.text).toContain(id.startsWith('repo') ? 'Harbour' : 'harbour');
    }
    expect(outputOf(await tools.fetch('memory:best_practices.md'))).toMatchObject({
      text: '- Paint the hull.\n- Look at the harbour first.\n',
      metadata: { source: 'memory', path: '.claude/memory/best_practices.md', commit: null },
    });
  });

  it('comes as JSON in one text item over MCP', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'needle' });
    for (const era of [2025, 2026]) {
      const { result } = await tools.mcp(
        'tools/call',
        { name: 'search', arguments: { query: 'needle' } },
        { era },
      );
      const content = result?.content as { type: string; text: string }[] | undefined;
      expect(content).toHaveLength(1);
      expect(JSON.parse(content?.[0]?.text ?? '')).toEqual(result?.structuredContent);
    }
  });

  it('finds documents with all the words before those with some', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      'docs/some.md': 'anchor anchor anchor anchor',
      'docs/all.md': `${'much else to read '.repeat(30)} anchor and chain`,
    });
    const { results } = outputOf<Results>(await tools.search('anchor chain'));
    expect(results.map(({ id }) => id)).toEqual(['repo:docs/all.md', 'repo:docs/some.md']);
  });

  it.each([
    'needle"',
    '"needle',
    'needle OR',
    'NOT needle',
    'needle NEAR(',
    '(needle',
    'body: needle',
    'needle*',
    '^needle',
    'needle AND',
    '{path}: needle',
    "needle' OR 1=1 --",
    'needle\u0000',
    '-needle',
    'needle + needle',
    'needle;',
  ])('takes %j as words', async (query) => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'a needle in a body' });
    const { results } = outputOf<Results>(await tools.search(query));
    expect(results.map(({ id }) => id)).toEqual(['repo:docs/a.md']);
  });

  it.each(['***', '"', '()', '…'])('finds nothing for %j, which is no word', async (query) => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'a' });
    expect(outputOf(await tools.search(query))).toEqual({ results: [] });
  });

  it('finds accents without them, compound names by their parts, and scripts without spaces by a start', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', {
      'docs/a.md': 'Äpfel und Öl',
      'docs/userNameCheck.txt': 'x',
      'docs/c.md': '見出しの例',
    });
    const idsOf = async (query: string) =>
      outputOf<Results>(await tools.search(query)).results.map(({ id }) => id);
    expect(await idsOf('apfel')).toEqual(['repo:docs/a.md']);
    expect(await idsOf('name check')).toEqual(['repo:docs/userNameCheck.txt']);
    expect(await idsOf('見出し')).toEqual(['repo:docs/c.md']);
  });

  it('ranks within the newest of a long memory, and finds older lines after those', async () => {
    const tools = repoTools();
    const body = (n: number) => (n % 4_000 === 0 ? `- rare ${n}` : `- line ${n}`);
    for (let from = 0; from < 12_000; from += 2_000) {
      const entries = Array.from({ length: 2_000 }, (_, i) => from + i).map((n) => {
        return { file: 'best_practices.md', body: body(n), idem: `${n}` };
      });
      await tools.memory.appendAll(entries);
    }
    const { results } = outputOf<Results>(await tools.search('rare'));
    expect(results.map(({ id }) => id)).toEqual([
      'memory:best_practices.md#8001',
      'memory:best_practices.md#4001',
      'memory:best_practices.md#1',
    ]);
  });
});

describe('fetch', () => {
  it.each([
    'memory:secrets.jsonl',
    'memory:best_practices.md#0',
    'memory:best_practices.md#7',
    'web:x',
    'repo:docs/no.md',
    'x',
  ])('knows no %s', async (id) => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'a' });
    expect(refusalOf(await tools.fetch(id))).toMatchObject({ code: 'document_not_found', http_status: 404 });
  });

  it.each([
    'repo:.env',
    'repo:docs/../.env',
    'repo:docs/secrets/a',
    'repo:src/a.ts',
    'repo:docs/a.PEM',
    'repo:docs\\.env',
    'repo:docs/.ｅnv',
    'repo:docs/.e\u200bnv',
    'repo:docs/.env. ',
  ])('keeps %j closed', async (id) => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'a' });
    expect(refusalOf(await tools.fetch(id))).toMatchObject({ code: 'path_denied', http_status: 403 });
  });
});
