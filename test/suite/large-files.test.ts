import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, root, token, type Way, ways } from './ways.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** Lines of a program, with what JSON has to escape and what takes more than one byte. */
const LINE = '\tconsole.log("grüße, 日本 \\"");\n';
const bytesOf = (text: string) => Buffer.byteLength(text);
const filled = (line: string) => {
  const lines = line.repeat(Math.floor(MAX_BYTES / bytesOf(line)));
  return lines + 'x'.repeat(MAX_BYTES - bytesOf(lines));
};

describe.each(ways)('a file of 10 MB over $name', ({ open }) => {
  let way: Way;
  beforeAll(async () => {
    way = await open();
  });
  afterAll(() => way?.close());

  it('is created whole, and one byte more is refused', { timeout: 300_000 }, async () => {
    rmSync(join(root, 'large.txt'), { force: true });
    const content = filled(LINE);
    const made = await way.call('create_file', { path: 'large.txt', content });
    if (!made.ok) throw new Error(JSON.stringify(made));
    expect(made).toMatchObject({ ok: true, output: { metadata: { bytes_written: MAX_BYTES } } });
    expect(readFileSync(join(root, 'large.txt'), 'utf8') === content).toBe(true);
    const refused = await way.call('create_file', { path: 'larger.txt', content: `${content}x` });
    expect(refused).toMatchObject({ ok: false, failure: { code: 'file_too_large', http_status: 413 } });
  });
});

describe('a long body', () => {
  const post = async (path: string, body: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    };
    const response = await fetch(rest + path, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const rpc = (name: string, args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${args},"name":"${name}"}}`;
  const long = JSON.stringify('a'.repeat(5_000_000));

  it('is taken if its letters are spelt as Python spells them', { timeout: 300_000 }, async () => {
    const letters = 'é'.repeat(3_900_000);
    const args = `{"path":"letters.txt","content":"${'\\u00e9'.repeat(letters.length)}"}`;
    expect((await post('/tools/create_file', args)).status).toBe(200);
    expect(readFileSync(join(root, 'letters.txt'), 'utf8') === letters).toBe(true);
  });

  it('of any other tool is refused over 4 MiB', async () => {
    const limit = 'is over 4194304 bytes.';
    for (const args of [`{"path":${long},"old_string":"a","new_string":"b"}`, `{"name":${long}}`]) {
      const name = args.includes('old_string') ? 'replace_string_in_file' : 'hello';
      const overRest = await post(`/tools/${name}`, args);
      expect([overRest.status, overRest.text]).toEqual([413, expect.stringContaining(limit)]);
      const overMcp = await post('/mcp', rpc(name, args));
      expect([overMcp.status, overMcp.text]).toEqual([413, expect.stringContaining(limit)]);
    }
    const listed = await post(
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${long}}}`,
    );
    expect(listed.status).toBe(413);
  });

  it('is refused if anything but its texts is over 4 MiB', async () => {
    const lists = `[${'[],'.repeat(2_000_000)}[]]`;
    const args = `{"path":"a.txt","content":${lists}}`;
    for (const answer of [
      await post('/tools/create_file', args),
      await post('/mcp', rpc('create_file', args)),
    ])
      expect([answer.status, answer.text]).toEqual([
        413,
        expect.stringContaining('outside of texts in quotes'),
      ]);
  });
});
