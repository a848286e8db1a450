import { describe, expect, it } from 'vitest';
import { failureIn } from '../../support/tools.ts';
import { DECISIONS, PROGRESS } from './support.ts';
import { memoryTools, outputOf } from './tools.ts';

const MARKDOWN = 'best_practices.md';
const said = { timestamp: '2026-01-09T10:30:00Z', type: 'task_complete' };
const bytes = (text: string) => new TextEncoder().encode(text).length;

/** A file of the memory as a model reads it, in each way there is. */
async function everyReading({ read, mcp }: ReturnType<typeof memoryTools>, file: string) {
  const path = `.claude/memory/${file}`;
  const plain = outputOf<{ content: string; size: number }>(await read(path));
  const base64 = outputOf<{ content: string }>(await read(path, { encoding: 'base64' }));
  const { result } = await mcp('resources/read', { uri: `memory://${file}` });
  const contents = result?.contents as { text: string }[] | undefined;
  expect(Buffer.from(base64.content, 'base64').toString()).toBe(plain.content);
  expect(contents?.[0]?.text).toBe(plain.content);
  expect(plain.size).toBe(bytes(plain.content));
  return plain.content;
}

describe('the preview of write_memory_entry', () => {
  it('shows the line with the number that it would get now, and writes nothing', async () => {
    const tools = memoryTools();
    await tools.write(MARKDOWN, 'One.');
    const path = `.claude/memory/${MARKDOWN}`;
    expect(await tools.look(MARKDOWN, 'Two.')).toMatchObject({
      files: [{ path, change: 'change' }],
      diff: `--- ${path}\n+++ ${path}\n@@ -1,0 +2,1 @@\n+Two.\n`,
      state: null,
    });
    expect(await everyReading(tools, MARKDOWN)).toBe('One.\n');
  });

  it('says that an entry is there already, unless it is meant as another', async () => {
    const tools = memoryTools();
    await tools.write(MARKDOWN, 'One.');
    const again = await tools.look(MARKDOWN, 'One.');
    expect(again).toMatchObject({ files: [], diff: null });
    expect(again).toMatchObject({ facts: [{ text: expect.stringContaining('as line 1'), unusual: true }] });
    expect(await tools.look(MARKDOWN, 'One.', { repeat: true })).toMatchObject({
      diff: expect.stringContaining('+2,1 @@\n+One.\n'),
    });
  });
});

describe('write_memory_entry', () => {
  it('writes an object as one line, and says where', async () => {
    const tools = memoryTools();
    const body =
      '{"z":{"b":1,"a":2},"timestamp":"2026-01-09T10:30:00Z","type":"task_complete","a":[1,0.1,"é😀"]}';
    const output = outputOf(
      await tools.write(PROGRESS, { z: { b: 1, a: 2 }, ...said, a: [1.0, 0.1, 'é😀'] }),
    );
    expect(output).toEqual({
      success: true,
      line_number: 1,
      bytes_written: bytes(body) + 1,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      replayed: false,
    });
    expect(await everyReading(tools, PROGRESS)).toBe(`${body}\n`);
  });

  it.each([
    [PROGRESS, '{"b": 1,  "a":2.0, "é":"\\u00e9😀"}'],
    [DECISIONS, '  {"event":"task_complete"}\t'],
    [DECISIONS, '{}'],
    [MARKDOWN, '## Two\n\nparagraphs, and\n\n```sh\nls -l\n\npwd\n```'],
    [MARKDOWN, '  - Trailing and leading space stay.  '],
    [MARKDOWN, '# 見出し 😀 <b>\\n</b> \t "quoted" \u0000'],
  ])('writes a text as it is given: %s %s', async (file, entry) => {
    const tools = memoryTools();
    expect(outputOf(await tools.write(file, entry))).toMatchObject({ bytes_written: bytes(entry) + 1 });
    expect(await everyReading(tools, file)).toBe(`${entry}\n`);
  });

  it('escapes what would break a line of an object, so that it stays one line', async () => {
    const tools = memoryTools();
    await tools.write(PROGRESS, { ...said, note: 'one\ntwo\r\nthree' });
    const content = await everyReading(tools, PROGRESS);
    expect(content.split('\n')).toHaveLength(2);
    expect(JSON.parse(content).note).toBe('one\ntwo\r\nthree');
  });

  it('keeps the keys of an object in the order in which they were sent', async () => {
    const tools = memoryTools();
    const sent = { z: 1, type: 'note', a: { y: 1, b: 2 }, timestamp: '2026-01-09T10:30:00Z', m: [] };
    await tools.write(PROGRESS, sent);
    expect(await everyReading(tools, PROGRESS)).toBe(`${JSON.stringify(sent)}\n`);
  });

  it('counts an entry of Markdown as one line of its file, whatever lines it has', async () => {
    const tools = memoryTools();
    await tools.write(MARKDOWN, 'One\n\nin two paragraphs');
    const preview = await tools.look(MARKDOWN, 'Two\n```\ncode\n```');
    expect(preview).toMatchObject({
      diff: expect.stringContaining('@@ -1,0 +2,4 @@\n+Two\n+```\n+code\n+```\n'),
    });
    expect(outputOf(await tools.write(MARKDOWN, 'Two\n```\ncode\n```'))).toMatchObject({ line_number: 2 });
    expect(outputOf(await tools.write(MARKDOWN, 'Two\n```\ncode\n```'))).toMatchObject({
      line_number: 2,
      replayed: true,
    });
    const lines = await tools.memory.stub().lastLines(MARKDOWN, 2);
    expect(lines).toMatchObject([{ body: 'One\n\nin two paragraphs' }, { body: 'Two\n```\ncode\n```' }]);
  });

  it('finds the same entry again, however its keys are ordered, and writes another if told to', async () => {
    const tools = memoryTools();
    const first = outputOf(await tools.write(PROGRESS, { ...said, n: 1 }));
    expect(outputOf(await tools.write(PROGRESS, { n: 1, ...said }))).toEqual({ ...first, replayed: true });
    expect(outputOf(await tools.write(DECISIONS, { ...said, n: 1 }))).toMatchObject({
      line_number: 1,
      replayed: false,
    });
    for (const line_number of [2, 3]) {
      const again = outputOf(await tools.write(PROGRESS, { ...said, n: 1 }, { repeat: true }));
      expect(again).toMatchObject({ line_number, replayed: false });
    }
    const content = await everyReading(tools, PROGRESS);
    expect(new Set(content.trimEnd().split('\n')).size).toBe(1);
    expect(content.trimEnd().split('\n')).toHaveLength(3);
  });

  it('keeps the lines of each file to that file, in the order of the answers', async () => {
    const tools = memoryTools();
    for (const n of [1, 2, 3]) {
      expect(outputOf(await tools.write(PROGRESS, `{"n":${n}}`))).toMatchObject({ line_number: n });
      expect(outputOf(await tools.write(MARKDOWN, `- ${n}`))).toMatchObject({ line_number: n });
    }
    expect(await everyReading(tools, PROGRESS)).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
    expect(await everyReading(tools, MARKDOWN)).toBe('- 1\n- 2\n- 3\n');
  });
});

/** An object whose line has exactly so many bytes; what fills it takes `unit`'s bytes each. */
function objectOf(size: number, unit: string) {
  const room = size - bytes(JSON.stringify({ note: '', ...said }));
  const count = Math.floor(room / bytes(unit));
  return { note: unit.repeat(count) + 'a'.repeat(room - count * bytes(unit)), ...said };
}

describe('an entry of 10 KB', () => {
  it.each(['a', 'é', '見', '😀'])('is taken to the byte, filled with %s', async (unit) => {
    const tools = memoryTools();
    const text = (size: number) => {
      const count = Math.floor(size / bytes(unit));
      return unit.repeat(count) + 'a'.repeat(size - count * bytes(unit));
    };
    for (const [file, make] of [
      [PROGRESS, (size: number) => objectOf(size, unit)],
      [DECISIONS, (size: number) => JSON.stringify(objectOf(size, unit))],
      [MARKDOWN, text],
    ] as const) {
      const output = outputOf(await tools.write(file, make(10_240)));
      expect(output).toMatchObject({ bytes_written: 10_241, line_number: 1 });
      expect(failureIn(await tools.write(file, make(10_241)))).toMatchObject({
        code: 'entry_too_large',
        http_status: 413,
      });
      expect(bytes(await everyReading(tools, file))).toBe(10_241);
    }
  });
});

describe('an entry that is refused', () => {
  const { timestamp: _, ...untimed } = said;
  it.each<[string, string, unknown, string]>([
    ['without timestamp', PROGRESS, untimed, 'invalid_entry'],
    ['without type', PROGRESS, { timestamp: said.timestamp }, 'invalid_entry'],
    ['with an empty type', PROGRESS, { ...said, type: '' }, 'invalid_entry'],
    ['with a type that is no text', PROGRESS, { ...said, type: 1 }, 'invalid_entry'],
    ['on the 30th of February', PROGRESS, { ...said, timestamp: '2026-02-30T10:00:00Z' }, 'invalid_entry'],
    ['without a time of day', PROGRESS, { ...said, timestamp: '2026-02-03' }, 'invalid_entry'],
    ['without a time zone', PROGRESS, { ...said, timestamp: '2026-02-03T10:00:00' }, 'invalid_entry'],
    ['at 25 o’clock', PROGRESS, { ...said, timestamp: '2026-02-03T25:00:00Z' }, 'invalid_entry'],
    ['timed by a number', PROGRESS, { ...said, timestamp: 1_767_954_600 }, 'invalid_entry'],
    ['that is an array', PROGRESS, [said], 'invalid_entry'],
    ['that is a number', PROGRESS, 7, 'invalid_entry'],
    ['that is null', PROGRESS, null, 'invalid_entry'],
    ['that is empty', MARKDOWN, '', 'invalid_entry'],
    ['an array as text', PROGRESS, '[{"a":1}]', 'invalid_entry'],
    ['a number as text', PROGRESS, '7', 'invalid_entry'],
    ['null as text', PROGRESS, 'null', 'invalid_entry'],
    ['a string as text', PROGRESS, '"{}"', 'invalid_entry'],
    ['two objects', PROGRESS, '{"a":1}{"b":2}', 'invalid_entry'],
    ['two objects apart', PROGRESS, '{"a":1} {"b":2}', 'invalid_entry'],
    ['trailing garbage', PROGRESS, '{"a":1},', 'invalid_entry'],
    ['an object cut off', PROGRESS, '{"a":1', 'invalid_entry'],
    ['words', PROGRESS, 'done', 'invalid_entry'],
    ['an object with a line feed between', PROGRESS, '{"a":1,\n"b":2}', 'invalid_entry'],
    ['an object with a return between', PROGRESS, '{"a":1,\r"b":2}', 'invalid_entry'],
    ['an object with a line separator inside', PROGRESS, '{"a":"\u2028"}', 'invalid_entry'],
    ['an object for Markdown', MARKDOWN, said, 'invalid_entry'],
    ['Markdown of white space alone', MARKDOWN, ' \n\t\n', 'invalid_entry'],
    ['for another file', 'notes.md', '- a', 'invalid_input'],
    ['for a file elsewhere', '../progress_log.jsonl', said, 'invalid_input'],
    ['for a file in other letters', 'Progress_log.jsonl', said, 'invalid_input'],
  ])('is one %s', async (_name, file, entry, code) => {
    const tools = memoryTools();
    expect(failureIn(await tools.write(file, entry))).toMatchObject({ code, http_status: 400 });
    expect(await tools.memory.stub().state()).toMatchObject({ seq: 0 });
  });

  it.each<[string, unknown]>([
    ['in an object', { ...said, note: 'half \ud83d' }],
    ['in a key', { ...said, '\udc00': 1 }],
    ['in a text', '- half \udc00'],
  ])('is one with half of a surrogate pair %s, before any tool sees it', async (_name, entry) => {
    const tools = memoryTools();
    for (const era of [2025, 2026]) {
      const args = { file: typeof entry === 'string' ? MARKDOWN : PROGRESS, entry };
      const { error } = await tools.mcp(
        'tools/call',
        { name: 'write_memory_entry', arguments: args },
        { era },
      );
      expect(error?.message).toContain('half of a surrogate pair');
    }
    expect(await tools.memory.stub().state()).toMatchObject({ seq: 0 });
  });
});
