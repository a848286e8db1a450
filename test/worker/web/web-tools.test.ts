import { beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../../contracts/contract.ts';
import { transcriptClean } from '../../../contracts/transcript.ts';
import { searchWeb } from '../../../contracts/web.ts';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { cleanTheTranscript } from '../../../src/tools/transcript.ts';
import { fetchPage } from '../../../src/tools/web.ts';
import { searchTheWeb } from '../../../src/tools/web-search.ts';
import type { Fetch } from '../../../src/web/guarded-fetch.ts';
import { makeWebPorts } from '../../../src/web/web-ports.ts';
import { pdfOf } from '../../support/pdf.ts';
import { failureIn } from '../../support/tools.ts';
import { use } from '../../support/web-tools.ts';

const sentence = 'A bowline is a knot that makes a loop which neither slips nor jams under load. ';
const page = `<!doctype html><html lang="en"><head><title>Knots</title></head><body><article><h1>Knots</h1><p>${sentence.repeat(9)}</p></article></body></html>`;

/** A web of one page, in the runtime's own responses. */
const web =
  (answer: () => Response): Fetch =>
  async () =>
    answer();
const read = (answer: () => Response, url = 'https://a.org/', more = {}) => {
  const ports = makeWebPorts({}, { guarded: web(answer), open: web(answer) });
  return use(webFetch, fetchPage, { url, ...more }, ports);
};
const typed = (body: BodyInit, type: string) => () =>
  new Response(body, { headers: { 'content-type': type } });

// A PDF has to be read within seconds, and loading its reader takes as long on a busy machine.
beforeAll(async () => {
  const { getResolvedPDFJS } = await import('unpdf');
  await getResolvedPDFJS();
});

describe('in workerd', () => {
  it.each<[string, () => Response, string]>([
    ['a page', typed(page, 'text/html'), 'neither slips nor jams'],
    [
      'a feed',
      typed('<rss><channel><title>T</title><item><title>One</title></item></channel></rss>', 'text/xml'),
      '# T\n\n## One',
    ],
    ['a PDF', typed(pdfOf(['Knots hold.']), 'application/pdf'), 'Knots hold.'],
    ['JSON', typed('{"a":1}', 'application/json'), '{\n  "a": 1\n}'],
    [
      'text in another encoding',
      typed(new Uint8Array([0x82, 0xb1, 0x82, 0xf1]), 'text/plain; charset=shift_jis'),
      'こん',
    ],
  ])('%s is read', async (_, answer, text) => {
    const result = await read(answer);
    expect(result, JSON.stringify(result)).toMatchObject({
      kind: 'ok',
      meta: { untrusted: expect.any(String) },
    });
    expect(result.kind === 'ok' && (result.output as Output<typeof webFetch>).clean_text).toContain(text);
  });

  it('parts of a page are read by a selector', async () => {
    const result = await read(typed(page, 'text/html'), undefined, { selector: 'article > h1' });
    expect(result).toMatchObject({ kind: 'ok', output: { clean_text: '# Knots', reading: 'selection' } });
  });

  it('a body without end is stopped at the limit', async () => {
    let sent = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1;
          controller.enqueue(new Uint8Array(65_536).fill(97));
        },
      });
    expect(await read(() => new Response(endless()))).toMatchObject({ output: { truncated: true } });
    expect(sent).toBeLessThan(100);
  });

  it('an address inside is refused, and nothing is sent', async () => {
    let asked = 0;
    const counting = () => {
      asked += 1;
      return new Response('x');
    };
    for (const url of [
      'http://127.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://0x7f.1/',
      'http://a.internal/',
    ]) {
      expect(failureIn(await read(counting, url))).toMatchObject({ code: 'blocked_url' });
    }
    expect(asked).toBe(0);
    const redirect = () =>
      new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } });
    expect(failureIn(await read(redirect))).toMatchObject({ code: 'blocked_url' });
  });

  it('a search says which setting is missing, and a binding is used', async () => {
    const unset = makeWebPorts({}, { guarded: fetch, open: fetch });
    expect(failureIn(await use(searchWeb, searchTheWeb, { query: 'x' }, unset))).toMatchObject({
      code: 'not_configured',
    });
    const ai = {
      websearch: async () =>
        Response.json({ results: [{ title: 'T', url: 'https://a.org/', description: 'D' }] }),
    };
    expect(
      await use(
        searchWeb,
        searchTheWeb,
        { query: 'x' },
        makeWebPorts({}, { guarded: fetch, open: fetch, ai }),
      ),
    ).toMatchObject({
      output: { results: [{ title: 'T', url: 'https://a.org/', snippet: 'D' }] },
    });
  });

  it('a transcript is cleaned', async () => {
    const text =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Welcome back.</v>\n\n00:02.000 --> 00:03.000\n<v Ada>สวัสดี 世界</v>\n';
    expect(await use(transcriptClean, cleanTheTranscript, { text }, { chat: undefined })).toMatchObject({
      output: { clean_text: 'Ada: Welcome back. สวัสดี 世界' },
      meta: { engine: 'rules' },
    });
  });
});
