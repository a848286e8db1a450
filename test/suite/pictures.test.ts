import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawnPng, exifOf, JPEGS, withParts } from '../node/files/made-pictures.ts';
import { rest, root, token, type Way, ways } from './ways.ts';

const LARGE = drawnPng({ width: 3_136, height: 40, colour: 2, bits: 8 }, (x, y) => [x & 255, y, 0]);

describe.each(ways)('pictures over $name', ({ open }) => {
  let way: Way;
  beforeAll(async () => {
    writeFileSync(join(root, 'large.png'), LARGE);
    writeFileSync(join(root, 'turned.jpg'), withParts(JPEGS.plain, exifOf(6)));
    way = await open();
  });
  afterAll(() => way?.close());

  it('are shown upright and as small as models look at them, or in full size', async () => {
    const files = [{ path: 'large.png' }, { path: 'turned.jpg' }];
    expect(await way.call('read_files', { files })).toMatchObject({
      ok: true,
      output: {
        metadata: {
          files: [
            { kind: 'picture', width: 1_568, height: 20, file_width: 3_136, file_height: 40 },
            { kind: 'picture', width: 16, height: 32, file_width: 32, file_height: 16 },
          ],
        },
      },
    });
    expect(await way.call('read_files', { files, full_size: true })).toMatchObject({
      ok: true,
      output: { metadata: { files: [{ width: 3_136 }, { width: 32 }] } },
    });
  });
});

it('a large picture reaches an MCP client as a picture, and a program as base64', async () => {
  writeFileSync(join(root, 'large.png'), LARGE);
  const args = { files: [{ path: 'large.png' }] };
  const post = async (path: string, body: object) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    };
    const response = await fetch(rest + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.text();
  };
  const [file] = JSON.parse(await post('/tools/read_files', args)).metadata.files;
  const picture = Buffer.from(file.data, 'base64');
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1_568, 20]);
  const params = { name: 'read_files', arguments: args };
  const said = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const { result } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
  expect(result.content.slice(1)).toEqual([{ type: 'image', mimeType: 'image/png', data: file.data }]);
});
