import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { serviceWorkerFile } from '../../../src/console/browser/assets.ts';
import { clientsFor, isLocal } from '../../../src/console/home/clients.ts';
import { qrRows } from '../../../src/console/parts/qr.tsx';
import { approvalPathOf } from '../../../src/console/tools/tool-run.ts';
import { pathHealth } from '../../../src/machines/path-health.ts';
import { CHARS_A_PAGE, LINES_A_PAGE, lineWindow, MAX_LINE_CHARS } from '../../../src/mirror/line-window.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');

describe('a window of lines', () => {
  it('holds a whole file of up to so many lines', () => {
    for (const count of [LINES_A_PAGE - 1, LINES_A_PAGE]) {
      expect(lineWindow(numbered(count), 1)).toMatchObject({
        first: 1,
        total: count,
        next: null,
        previous: null,
      });
    }
    const more = lineWindow(numbered(LINES_A_PAGE + 1), 1);
    expect([more.lines.length, more.next]).toEqual([LINES_A_PAGE, LINES_A_PAGE + 1]);
  });

  it('goes on where the one before ended, without a line lost or told twice', () => {
    const text = numbered(1_000);
    const seen: string[] = [];
    for (let from: number | null = 1; from !== null; ) {
      const window = lineWindow(text, from);
      seen.push(...window.lines);
      from = window.next;
    }
    expect(seen.join('\n')).toBe(text);
  });

  it('begins within the file, whatever is asked for', () => {
    expect(lineWindow('a\nb', -5).first).toBe(1);
    expect(lineWindow('a\nb', 99)).toMatchObject({ first: 2, lines: ['b'], previous: 1 });
    expect(lineWindow('', 3)).toEqual({ lines: [], first: 1, total: 0, next: null, previous: null });
  });

  it('takes fewer lines when they are long, and cuts one that nobody could read', () => {
    const long = 'x'.repeat(MAX_LINE_CHARS);
    const window = lineWindow(`${long}\n`.repeat(100), 1);
    expect(window.lines.length).toBe(CHARS_A_PAGE / MAX_LINE_CHARS);
    expect(lineWindow(long, 1).lines).toEqual([long]);
    expect(lineWindow(`${long}y`, 1).lines).toEqual([`${long}… [${MAX_LINE_CHARS + 1} characters]`]);
  });

  it('reads both kinds of line end, and a last one as the end of a line', () => {
    expect(lineWindow('a\r\nb\nc\n', 1).lines).toEqual(['a', 'b', 'c']);
    expect(lineWindow('a\n\n', 1).lines).toEqual(['a', '']);
  });
});

describe('the way to a machine', () => {
  const online = {
    status: async () => ({
      online: true,
      since: 1,
      roots: [],
      tools: [],
      version: null,
      sandbox: null,
      lastSeen: 5_000,
    }),
    ping: async () => ({ ms: 12, tools: 13 }),
  };
  const works = async () => ({ kind: 'ok', output: {} }) as const;
  const states = async (...args: Parameters<typeof pathHealth>) =>
    (await pathHealth(...args)).map(({ state }) => state);
  const now = () => 7_000;

  it('is told hop by hop', async () => {
    const hops = await pathHealth({ object: online, tool: works, now });
    expect(hops.map(({ state, ms }) => [state, ms])).toEqual([
      ['good', 0],
      ['good', null],
      ['good', 12],
      ['good', 0],
    ]);
    expect(hops[1]?.says).toContain('heard of 2 s ago');
    expect(hops[2]?.says).toContain('13 tools');
  });

  it('ends at the first hop that does not answer', async () => {
    const off = { ...online, status: async () => ({ ...(await online.status()), online: false }) };
    const dead = { ...online, ping: async () => null };
    const failure = { code: 'x', http_status: 500, message: 'The disk is gone.', suggestion: 'Look.' };
    const fails = async () => ({ kind: 'failed', failure }) as const;
    expect(await states({ object: off, tool: works, now })).toEqual([
      'good',
      'broken',
      'not reached',
      'not reached',
    ]);
    expect(await states({ object: dead, tool: works, now })).toEqual([
      'good',
      'good',
      'broken',
      'not reached',
    ]);
    const hops = await pathHealth({ object: online, tool: fails, now });
    expect(hops.at(-1)).toMatchObject({ state: 'broken', says: 'The disk is gone. Look.' });
  });
});

describe('how apps connect', () => {
  const clients = clientsFor('https://bowline.example/mcp');

  it('gives each the exact address', () => {
    for (const { copy } of clients) expect(copy?.text).toContain('https://bowline.example/mcp');
    const cursor = new URL(clients.find(({ id }) => id === 'cursor')?.link?.href ?? '');
    const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString();
    expect(JSON.parse(config)).toEqual({ url: 'https://bowline.example/mcp' });
    const vscode = clients.find(({ id }) => id === 'vscode')?.link?.href ?? '';
    expect(JSON.parse(decodeURIComponent(vscode.slice(vscode.indexOf('?') + 1)))).toEqual({
      name: 'bowline',
      type: 'http',
      url: 'https://bowline.example/mcp',
    });
  });

  it('knows an address that only this computer has', () => {
    for (const origin of [
      'http://localhost:8787',
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'http://a.localhost',
    ])
      expect(isLocal(origin)).toBe(true);
    for (const origin of ['https://bowline.example', 'https://localhost.example', 'http://10.0.0.1'])
      expect(isLocal(origin)).toBe(false);
  });

  it('draws the address with a quiet border and three corners to find it by', async () => {
    const rows = await qrRows('https://bowline.example/mcp');
    const corner = (y: number, x: number) => rows.slice(y, y + 7).map((row) => row.slice(x, x + 7));
    const finder = corner(2, 2);
    expect(finder[0]).toEqual(Array(7).fill(true));
    expect(corner(2, rows.length - 9)).toEqual(finder);
    expect(corner(rows.length - 9, 2)).toEqual(finder);
    expect(rows[0]?.some(Boolean)).toBe(false);
  });
});

describe('a message that is tapped', () => {
  /** Which addresses the service worker has opened for a message that leads to `url`. */
  async function opened(url: string): Promise<string[]> {
    const all: string[] = [];
    const heard = new Map<string, (event: object) => void>();
    const self = {
      location: { origin: 'https://bowline.example' },
      addEventListener: (name: string, act: (event: object) => void) => heard.set(name, act),
      clients: { matchAll: async () => [], openWindow: async (href: string) => void all.push(href) },
    };
    runInNewContext(await (await serviceWorkerFile()).text(), { self, URL });
    let work: unknown;
    const notification = { close: () => undefined, data: { url } };
    heard.get('notificationclick')?.({ notification, waitUntil: (given: unknown) => (work = given) });
    await work;
    return all;
  }

  it('opens a page of this gateway', async () => {
    expect(await opened('/approvals/AB12')).toEqual(['https://bowline.example/approvals/AB12']);
  });

  it.each(['https://evil.example/', '//evil.example/x', 'javascript:alert(1)', 'http://bowline.example/'])(
    'opens nothing else: %s',
    async (url) => {
      expect(await opened(url)).toEqual([]);
    },
  );
});

describe('where a call that waits leads', () => {
  const asks = (url: string) => ({
    kind: 'needs_input' as const,
    requests: {
      approval: {
        method: 'elicitation/create' as const,
        params: { mode: 'url' as const, elicitationId: 'e', url, message: 'm' },
      },
    },
  });

  it('is a page of this gateway, and never of another', () => {
    const origin = 'https://bowline.example';
    expect(approvalPathOf(asks(`${origin}/approvals/AB12`), origin)).toBe('/approvals/AB12');
    expect(approvalPathOf(asks('https://evil.example/approvals/AB12'), origin)).toBeUndefined();
    expect(approvalPathOf(asks('javascript:alert(1)'), origin)).toBeUndefined();
    expect(approvalPathOf({ kind: 'ok', output: {} }, origin)).toBeUndefined();
  });
});
