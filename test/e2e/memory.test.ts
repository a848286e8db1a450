import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { runBowline } from '../support/command.ts';
import { MARKDOWN, memoryUp, PROGRESS } from '../support/memory-up.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

const { home, start, stop, env, gateway, memory, verdict, bodies } = memoryUp();
beforeAll(start);
afterAll(stop);

const out = join(home, 'export');

describe('the memory from the command line', () => {
  it('begins empty and verifies', async () => {
    expect(await verdict()).toMatchObject({ code: 0, entries: 0, problems: [] });
    expect(await memory('tail', PROGRESS)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('appends, finds the same again, and prints the last lines', async () => {
    const first = await memory('append', PROGRESS, '{"n": 1}');
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('Appended line 1')]);
    const again = await memory('append', PROGRESS, '{"n": 1}');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('as line 1')]);
    await memory('append', PROGRESS, '{"n":2}');
    expect((await memory('append', MARKDOWN, '- Measure first.\n\n  Twice.')).code).toBe(0);
    expect((await memory('tail', PROGRESS, '-n', '1')).stdout).toBe('2  {"n":2}\n');
    const told = JSON.parse((await memory('tail', PROGRESS, '--lines', '1000', '--json')).stdout);
    expect(told).toMatchObject({ entries: [{ body: '{"n": 1}' }, { body: '{"n":2}' }] });
    expect(await bodies(PROGRESS)).toEqual(['{"n": 1}', '{"n":2}']);
    expect((await memory('tail', MARKDOWN)).stdout).toBe('1  - Measure first.\n   \n     Twice.\n');
  });

  it('refuses what is none of its files, no entry, and no number', async () => {
    expect((await memory('append', 'notes.md', 'x')).code).toBe(2);
    expect((await memory('tail', PROGRESS, '-n', '1001')).code).toBe(2);
    const bad = await memory('append', PROGRESS, 'not JSON');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('must be one JSON object')]);
    expect((await verdict()).entries).toBe(3);
  });
});

describe('import', () => {
  const old = (name: string, text: string | Uint8Array) => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };

  it('keeps order and equal lines, leaves out empty ones, and brings nothing twice', async () => {
    const lines = ['{"n":2}', '{"n": 3}', '{"n":2}', '{"é":"😀"}', '{"n":2}'];
    const path = old(PROGRESS, `${lines.slice(0, 3).join('\r\n')}\r\n\r\n\n${lines.slice(3).join('\n')}`);
    // The first of the equal lines is there already.
    expect((await memory('import', path)).stdout).toContain(
      'Imported 4 lines into progress_log.jsonl. 1 were already there',
    );
    const expected = ['{"n": 1}', '{"n":2}', ...lines.slice(1)];
    expect(await bodies(PROGRESS)).toEqual(expected);
    expect((await memory('import', path)).stdout).toContain(
      'Imported 0 lines into progress_log.jsonl. 5 were already there',
    );
    expect(await bodies(PROGRESS)).toEqual(expected);
  });

  it('takes Markdown of several requests’ length, under another name', async () => {
    const lines = Array.from({ length: 450 }, (_, n) => `- ${n % 2 ? 'odd' : n}`);
    const path = old('practices-of-2025.md', lines.join('\n'));
    expect((await memory('import', path)).code).toBe(2);
    const ran = await memory('import', path, '--file', MARKDOWN);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('Imported 450 entries')]);
    expect((await bodies(MARKDOWN)).slice(1)).toEqual(lines);
    const { signed, entries, problems } = await verdict();
    expect(problems).toEqual([]);
    expect(entries).toBe(3 + 4 + 450);
    // Each request of that length wants a checkpoint of its own.
    expect(signed).toBeGreaterThanOrEqual(3);
  });

  it('refuses a file that is not UTF-8 or has a line too long, before anything is written', async () => {
    const before = (await verdict()).entries;
    const broken = await memory(
      'import',
      old('broken.md', new Uint8Array([0x2d, 0xff, 0x0a])),
      '--file',
      MARKDOWN,
    );
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('UTF-8')]);
    const long = await memory('import', old('long.md', `ok\n${'x'.repeat(10_241)}`), '--file', MARKDOWN);
    expect([long.code, long.stderr]).toEqual([1, expect.stringContaining('10240 bytes')]);
    const noObject = await memory('import', old(PROGRESS, '{"n":9}\n[1]'));
    expect([noObject.code, noObject.stderr]).toEqual([
      1,
      expect.stringContaining('not one JSON object: [1]'),
    ]);
    expect((await memory('import', join(home, 'nowhere.md'), '--file', MARKDOWN)).code).toBe(1);
    expect((await verdict()).entries).toBe(before);
  });
});

describe('write_memory_entry over MCP', () => {
  it('is held, approved by the command, written, announced, and read by its resource', async () => {
    const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const headers = { authorization: `Bearer ${gateway().token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(gateway().mcp), { requestInit: { headers } }),
    );
    const updated = Promise.withResolvers<string>();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      updated.resolve(params.uri),
    );
    await client.listen({ resourceSubscriptions: ['memory://decisions.jsonl'] });
    const entry = { timestamp: '2026-01-09T10:30:00Z', type: 'decision', decision: 'keep it' };
    const ask = { name: 'write_memory_entry', arguments: { file: 'decisions.jsonl', entry } };
    const answer = client.callTool(ask);
    const owner = await signInAsOwner(gateway().rest, gateway().owner_key);
    const code = await untilWaiting(owner, (all) => all.find(({ full }) => full.includes('keep it'))?.code);
    await owner.signOut();
    expect((await runBowline(['approvals', 'approve', code], { env: env() })).code).toBe(0);
    expect((await answer).structuredContent).toMatchObject({ line_number: 1, replayed: false });
    expect(await updated.promise).toBe('memory://decisions.jsonl');
    const { contents } = await client.readResource({ uri: 'memory://decisions.jsonl' });
    const line = '{"timestamp":"2026-01-09T10:30:00Z","type":"decision","decision":"keep it"}\n';
    expect(contents).toMatchObject([{ text: line }]);
    const read = { name: 'read_repo_file', arguments: { path: '.claude/memory/decisions.jsonl' } };
    expect((await client.callTool(read)).structuredContent).toMatchObject({ content: line });
    await client.close();
  });
});

describe('an export', () => {
  const exportedLog = join(out, 'log.jsonl');

  it('holds the files as they are, and verifies by itself', async () => {
    const ran = await memory('export', out);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(readFileSync(join(out, PROGRESS), 'utf8')).toBe(`${(await bodies(PROGRESS)).join('\n')}\n`);
    expect(readFileSync(join(out, MARKDOWN), 'utf8')).toBe(`${(await bodies(MARKDOWN)).join('\n')}\n`);
    const { code, entries } = await verdict();
    expect(await verdict(exportedLog)).toMatchObject({ code, entries, problems: [] });
  });

  it('notices a file beside the log that says something else', async () => {
    const path = join(out, MARKDOWN);
    const honest = readFileSync(path);
    writeFileSync(path, `${honest}- Never measure.\n`);
    const { code, problems } = await verdict(exportedLog);
    expect([code, problems]).toEqual([1, [`${MARKDOWN} does not match the log.`]]);
    writeFileSync(path, honest);
    expect((await verdict(exportedLog)).code).toBe(0);
  });

  it('that was tampered with exits with 1 and names the first bad line', async () => {
    const honest = readFileSync(exportedLog, 'utf8');
    const lines = honest.split('\n');
    const { file, line } = JSON.parse(lines[4] ?? '');
    const swapped = lines.with(4, lines[5] ?? '').with(5, lines[4] ?? '');
    const changes = [
      [honest.replace('{\\"n\\": 3}', '{\\"n\\": 4}'), `Entry 4 (${PROGRESS}, line 3)`],
      [lines.toSpliced(4, 1).join('\n'), `Entry 5 (`],
      [swapped.join('\n'), 'Entry 5 ('],
      [lines.with(4, '').join('\n'), 'Entry 5: its line is not an entry'],
      [lines.with(4, `${lines[4]} `).join('\n'), 'Entry 5: its line is not as it was exported'],
      [honest.slice(0, -1), `Entry ${lines.length - 1}: its line was cut off`],
      [lines.slice(0, 5).concat('').join('\n'), 'There is a checkpoint at entry'],
    ] as const;
    for (const [changed, problem] of AT_LENGTH ? changes : changes.slice(0, 2)) {
      writeFileSync(exportedLog, changed);
      const { code, problems } = await verdict(exportedLog);
      expect([code, problems[0]]).toEqual([1, expect.stringContaining(problem)]);
    }
    expect([file, line]).toEqual([PROGRESS, 4]);
    writeFileSync(exportedLog, honest);
    expect((await verdict(exportedLog)).code).toBe(0);
  });

  it('that is not there, or whose gateway is not, exits with 2', async () => {
    expect((await memory('verify', join(home, 'nowhere', 'log.jsonl'))).code).toBe(2);
    const gone = await runBowline(['memory', 'verify'], {
      env: { ...env(), BOWLINE_URL: 'http://localhost:1' },
    });
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('could not be checked')]);
  });

  it('keeps where its entries begin and end when it is imported again', async () => {
    const entry = 'Measure first.\n\nThen say what was measured:\n\n- once\n- twice\n\n# Always\n\n    code';
    expect((await memory('append', MARKDOWN, entry)).code).toBe(0);
    const folder = join(home, 'again');
    await memory('export', folder);
    const before = await bodies(MARKDOWN);
    const ran = await memory('import', join(folder, MARKDOWN));
    expect(ran.stdout).toContain('Imported 0 entries into best_practices.md');
    // A file that was changed is read by the rules of Markdown.
    writeFileSync(join(folder, MARKDOWN), `${entry}\n- new\n`);
    expect((await memory('import', join(folder, MARKDOWN))).stdout).toContain('Imported 6 entries');
    expect((await bodies(MARKDOWN)).slice(0, before.length)).toEqual(before);
  });
});
