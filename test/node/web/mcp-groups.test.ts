import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBowline } from '../../support/command.ts';
import { answerAsLiteLlm, LITELLM_KEY, LITELLM_TOOL } from '../../support/litellm.ts';
import { BOWLINE } from '../../support/up.ts';
import { type WebServer, webServer } from '../../support/web-server.ts';

const home = mkdtempSync(join(tmpdir(), 'bowline-groups-'));
let site: WebServer;
let sink: WebServer;

beforeAll(async () => {
  sink = await webServer();
  site = await webServer((request, response) => {
    if (request.url?.startsWith('/v1/search/')) return void answerAsLiteLlm(request, response);
    if (request.url === '/inside') return void response.writeHead(302, { location: sink.origin }).end();
    response.writeHead(200, { 'content-type': 'text/plain' }).end('words');
  });
});
afterAll(async () => {
  await Promise.all([site.close(), sink.close()]);
  rmSync(home, { recursive: true, force: true });
});

/** Starts `bowline mcp` with a group of its tools, as a program of its own. */
async function open(args: readonly string[], settings: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, BOWLINE_HOME: home, ...settings };
  await client.connect(
    new StdioClientTransport({ command: 'node', args: [BOWLINE, 'mcp', ...args], env, stderr: 'inherit' }),
  );
  return client;
}

const settings = () => ({
  LITELLM_URL: site.origin,
  LITELLM_KEY,
  LITELLM_SEARCH_TOOL: LITELLM_TOOL,
  DEV_FETCH_ORIGINS: site.origin,
});

describe('bowline mcp', () => {
  it('web-fetch serves the web and nothing else, from a LiteLLM on this computer', async () => {
    const client = await open(['web-fetch'], settings());
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['search_web', 'web_fetch']);
      const found = await client.callTool({
        name: 'search_web',
        arguments: { query: 'knots', max_results: 25 },
      });
      expect(found.isError).toBe(false);
      expect(found.structuredContent).toMatchObject({ results: expect.any(Array) });
      expect(found._meta).toMatchObject({
        'dev.bowline/note': expect.stringContaining('at most 20'),
        'dev.bowline/untrusted': expect.any(String),
      });
      const page = await client.callTool({ name: 'web_fetch', arguments: { url: `${site.origin}/` } });
      expect(page.structuredContent).toMatchObject({ clean_text: 'words' });
      expect(page._meta).toMatchObject({ 'dev.bowline/untrusted': expect.any(String) });
      for (const url of [
        `${site.origin}/inside`,
        sink.origin,
        `http://localhost:${sink.port}/`,
        'http://localhost/',
      ]) {
        const refused = await client.callTool({ name: 'web_fetch', arguments: { url } });
        expect(refused.isError).toBe(true);
        expect(refused._meta).toMatchObject({ 'dev.bowline/error': { code: 'blocked_url' } });
      }
      expect(sink.connections()).toBe(0);
    } finally {
      await client.close();
    }
  });

  it('transcript-clean serves the cleaner and nothing else', async () => {
    const client = await open(['transcript-clean']);
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['transcript_clean']);
      const cleaned = await client.callTool({
        name: 'transcript_clean',
        arguments: { text: '[00:01] hi\n[00:02] you' },
      });
      expect(cleaned).toMatchObject({
        structuredContent: { clean_text: 'hi you' },
        _meta: { 'dev.bowline/engine': 'rules' },
      });
    } finally {
      await client.close();
    }
  });

  it('names its groups to whoever asks for another', async () => {
    const { code, stderr } = await runBowline(['mcp', 'nonsense'], { env: { BOWLINE_HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toContain('web-fetch, transcript-clean');
  });
});
