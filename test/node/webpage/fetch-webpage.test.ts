import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchWebpage } from '../../../contracts/webpage.ts';
import { webpageHandlers, webpagePorts } from '../../../local-bridge/tools/handlers/webpage.ts';
import { webpagePreviews } from '../../../local-bridge/tools/handlers/webpage-preview.ts';
import { makeMachineFetch } from '../../../local-bridge/tools/web/machine-fetch.ts';
import type { Caller } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { objectionTo } from '../../../src/web/address.ts';
import { SOON_MS } from '../../support/soon.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';

const MB = 1024 * 1024;

/** A web of one server, whose loopback address alone counts as public. */
async function webOf(answer: RequestListener) {
  const server = createServer(answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const web = {
    fetch: makeMachineFetch({ objectionTo: () => undefined }),
    rule: (url: URL) => (url.host === host ? undefined : objectionTo(url)),
  };
  const tools = toolsOf({ web });
  return { url: `http://${host}/page`, host, sockets, ...tools };
}

function toolsOf(ports: typeof webpagePorts) {
  const door = new WatchedDoor();
  const tools = toolSet({ fetch_webpage: fetchWebpage }, webpageHandlers, door, ports, webpagePreviews);
  const call = async (args: object, caller: Partial<Caller> = {}) => {
    const result = await tools.get('fetch_webpage')?.call(args, { ...everyone, ...caller });
    if (!result) throw new Error('there is no fetch_webpage');
    return result;
  };
  return {
    call,
    page: async (args: object) => {
      const result = await call(args);
      if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
      return result.output as {
        readonly success: boolean;
        readonly output: string;
        readonly metadata: Readonly<Record<string, unknown>>;
      };
    },
    refused: async (args: object) => failureIn(await call(args)),
  };
}

const html =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };

describe('fetch_webpage', () => {
  it('gives the text as the server sent it, and says how much', async () => {
    const { page, url } = await webOf(html(`<!doctype html>\n${'x'.repeat(5_308)}`));
    expect(await page({ url })).toEqual({
      success: true,
      output: `Fetched content from ${url} (5.2 KB)\n<!doctype html>\n${'x'.repeat(5_308)}`,
      files_affected: [],
      execution_time_ms: expect.any(Number),
      metadata: {
        url,
        final_url: url,
        status_code: 200,
        content_length: 5_324,
        content_type: 'text/html',
        truncated: false,
      },
    });
  });

  it('gives the reading of `web_fetch` in place of the source, if a format is asked for', async () => {
    const said = 'A bowline is a knot that makes a loop, and it neither slips nor jams under load. '.repeat(
      5,
    );
    const source = `<!doctype html><title>Knots</title><nav><a href="/">Home</a></nav><article><h1>Knots</h1><p>${said}<b>Really.</b></p></article>`;
    const { page, url } = await webOf(html(source));
    const markdown = await page({ url, format: 'markdown' });
    expect(markdown.output).toMatch(/^Fetched content .*\n# Knots\n\nA bowline[\s\S]*\*\*Really\.\*\*$/);
    expect((await page({ url, format: 'text' })).output).toMatch(/under load\. Really\.$/);
    expect((await page({ url })).output).toContain('<nav>');
  });

  it('takes an error page for an answer, though not for a success', async () => {
    const { page, url } = await webOf(html('gone', {}, 404));
    expect(await page({ url })).toMatchObject({
      success: false,
      output: `${url} answered with status 404 (4 bytes)\ngone`,
      metadata: { status_code: 404, content_length: 4 },
    });
  });

  it('takes an empty page for what it is', async () => {
    const { page, url } = await webOf((_request, response) => response.writeHead(204).end());
    expect(await page({ url })).toMatchObject({
      success: true,
      output: `Fetched content from ${url} (0 bytes)\n`,
      metadata: { status_code: 204, content_type: '', content_length: 0 },
    });
  });

  it.each([
    [MB - 1, MB - 1, false],
    [MB, MB, false],
    [MB + 1, MB, true],
  ])('of %i bytes reads %i', async (length, read, truncated) => {
    const { page, url } = await webOf(html(Buffer.alloc(length, 'x')));
    const { output, metadata } = await page({ url });
    expect(metadata).toMatchObject({ content_length: read, truncated });
    expect(metadata.warning).toBe(truncated ? 'Response too large (>1MB), truncating' : undefined);
    expect(output.includes('\nWarning: Response too large (>1MB), truncating\n')).toBe(truncated);
    expect(output.match(/x{1000,}/)?.[0]).toHaveLength(read);
  });

  it('counts what comes out of a compression, and stops a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MB, 'x'));
    expect(bomb.length).toBeLessThan(MB / 8);
    const { page, url } = await webOf(html(bomb, { 'content-encoding': 'gzip' }));
    expect((await page({ url })).metadata).toMatchObject({ content_length: MB, truncated: true });
  });

  it('stops a page that never ends', async () => {
    const { page, url, sockets } = await webOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'y')));
      };
      response.on('drain', more);
      more();
    });
    expect((await page({ url })).metadata).toMatchObject({ content_length: MB, truncated: true });
    await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: SOON_MS });
  });

  it('keeps its characters whole where it cuts', async () => {
    const { page, url } = await webOf(html(`a${'ü'.repeat(MB / 2)}`, { 'content-type': 'text/plain' }));
    const { output } = await page({ url });
    expect(output.endsWith('üü')).toBe(true);
    expect(output).not.toContain('Ã');
  });

  it.each([
    ['text/html; charset=shift_jis', Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), 'テスト'],
    ['text/html', Buffer.from('<meta charset="windows-1252">\xe9', 'latin1'), 'é'],
    ['text/plain', Buffer.from('é'), 'é'],
    ['text/plain', Buffer.from('\ufeffé', 'utf16le'), 'é'],
  ])('reads %s', async (type, body, text) => {
    const { page, url } = await webOf(html(body, { 'content-type': type }));
    expect((await page({ url })).output.endsWith(text)).toBe(true);
  });

  it.each([
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a PNG image'],
    ['application/pdf', Buffer.from('%PDF-1.7\n'), 'a PDF document'],
    ['text/html', Buffer.from([0, 1, 2, 3]), 'text/html'],
  ])('refuses %s', async (type, body, what) => {
    const { refused, url } = await webOf(html(body, { 'content-type': type }));
    const failure = await refused({ url });
    expect(failure).toMatchObject({ code: 'not_text', http_status: 415 });
    expect(failure.message).toContain(what);
  });

  it('follows redirects to public places, five of them', async () => {
    const { page, refused, host } = await webOf(({ url = '' }, response) => {
      const left = Number(url.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end('there');
    });
    expect(await page({ url: `http://${host}/5` })).toMatchObject({
      success: true,
      metadata: { url: `http://${host}/5`, final_url: `http://${host}/0` },
    });
    expect(await refused({ url: `http://${host}/6` })).toMatchObject({ code: 'fetch_failed' });
  });

  it.each(['http://10.0.0.1/', 'http://169.254.169.254/latest/', 'http://localhost/', 'file:///etc/passwd'])(
    'follows no redirect to %s',
    async (location) => {
      const { refused, url } = await webOf((_request, response) =>
        response.writeHead(302, { location }).end(),
      );
      expect(await refused({ url })).toMatchObject({ code: 'blocked_url', http_status: 403 });
    },
  );

  it.each([
    [{}, 'invalid_url'],
    [{ url: 'not a url' }, 'invalid_url'],
    [{ url: 'ftp://example.com/' }, 'invalid_url'],
    [{ url: 'file:///etc/passwd' }, 'invalid_url'],
    [{ url: 'javascript:alert(1)' }, 'invalid_url'],
    [{ url: `https://example.com/${'a'.repeat(4_096)}` }, 'invalid_url'],
    [{ url: 'https://example.com', timeout_seconds: 0 }, 'invalid_input'],
    [{ url: 'https://example.com', timeout_seconds: 61 }, 'invalid_input'],
    [{ url: 'https://example.com', timeout_seconds: 1.5 }, 'invalid_input'],
    [{ url: 'http://127.0.0.1/' }, 'blocked_url'],
    [{ url: 'http://[::1]/' }, 'blocked_url'],
    [{ url: 'http://localhost/' }, 'blocked_url'],
    [{ url: 'http://192.168.1.1/' }, 'blocked_url'],
    [{ url: 'https://user:pass@github.com/' }, 'blocked_url'],
    [{ url: 'https://github.com:8443/' }, 'blocked_url'],
  ])('refuses %j with the ports it is given outside tests', async (args, code) => {
    const { refused } = toolsOf(webpagePorts);
    const failure = await refused(args);
    expect(failure).toMatchObject({ code });
    expect(failure.suggestion).not.toBe('');
  });

  it.each([
    ['before it says anything', () => undefined],
    [
      'in the middle of it',
      ((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('beginning');
      }) as RequestListener,
    ],
  ])('gives up on a server that falls silent %s', async (_, answer) => {
    const { refused, url, sockets } = await webOf(answer);
    expect(await refused({ url, timeout_seconds: 1 })).toMatchObject({
      code: 'timeout',
      http_status: 504,
      message: 'Request timed out after 1 second',
    });
    await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: SOON_MS });
  });

  it('lets go of the connection when its caller leaves', async () => {
    const { call, url, sockets } = await webOf(() => undefined);
    const caller = new AbortController();
    const asking = call({ url }, { signal: caller.signal });
    await vi.waitFor(() => expect(sockets.size).toBe(1), { timeout: SOON_MS });
    caller.abort();
    expect(await asking).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: SOON_MS });
  });

  it('names what went wrong on the way', async () => {
    const { refused, host } = await webOf((request) => request.socket.destroy());
    expect(await refused({ url: `http://${host}/` })).toMatchObject({
      code: 'fetch_failed',
      http_status: 502,
      message: `Failed to fetch: http://${host} broke off the connection.`,
    });
    const tls = await refused({ url: `https://${host}/` });
    expect(tls).toMatchObject({ code: 'fetch_failed' });
    expect(tls.message).toMatch(/TLS|not HTTP/);
  });

  it('says when a connection is refused', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const address = closed.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    closed.close();
    await once(closed, 'close');
    const web = { fetch: makeMachineFetch({ objectionTo: () => undefined }), rule: () => undefined };
    expect(await toolsOf({ web }).refused({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
      code: 'fetch_failed',
      message: `Failed to fetch: http://127.0.0.1:${port} refuses the connection.`,
    });
  });

  it('sends nothing of the owner along', async () => {
    let seen: Record<string, unknown> = {};
    const { page, url } = await webOf((request, response) => {
      seen = { ...request.headers, method: request.method };
      response.end('ok');
    });
    await page({ url });
    expect(seen.method).toBe('GET');
    for (const name of ['cookie', 'authorization', 'referer', 'origin'])
      expect(seen).not.toHaveProperty(name);
  });
});
