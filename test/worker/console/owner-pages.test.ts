import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeMirror } from '../../../src/mirror/mirror-port.ts';
import { browser, owner, signedIn } from '../auth/owner.ts';
import { GATEWAY, send } from '../http.ts';
import { pushed } from '../mirror/support.ts';

const HOSTILE = '"><script>alert(1)</script>\u202egnp.exe\u0007\u{e0172}\u3164\u034f\u2800\u2065';
const FILE = 'docs/<img src=x onerror=alert(1)>\u202e.md';
const PAGES = [
  '/memory',
  '/memory/decisions.jsonl',
  '/memory/decisions.jsonl?line=1',
  '/memory?q=alert',
  '/repo',
  '/repo/docs',
  `/repo/${FILE.split('/').map(encodeURIComponent).join('/')}`,
  '/machines',
  '/machines/pair?code=NONE',
  '/catalogue',
  '/catalogue/hello',
  '/catalogue/run_in_terminal',
  '/connect',
  '/setup',
  '/servers',
];
/** Answers for those pages that are not there. */
const MISSING = [
  '/memory/other.txt',
  '/memory/decisions.jsonl?line=99',
  '/repo/docs/none.md',
  '/repo/%ff',
  '/catalogue/nope',
];

const mirror = makeMirror({ stub: () => env.MIRROR.get(env.MIRROR.idFromName('owner')), bucket: env.BLOBS });
const memory = () => env.MEMORY.get(env.MEMORY.idFromName('owner'));

beforeAll(async () => {
  const body = JSON.stringify({ timestamp: '2026-01-09T10:30:00Z', type: HOSTILE, [HOSTILE]: HOSTILE });
  await memory().append({ file: 'decisions.jsonl', body, idem: 'hostile' });
  const long = Array.from({ length: 3_000 }, (_, n) => `${n} "quoted" & <b>`).join('\n');
  const files = {
    [FILE]: `# ${HOSTILE}\nsecond line`,
    'docs/long.txt': long,
    'docs/pic.bin': new Uint8Array([0, 255]),
  };
  await pushed(mirror, 'hostile', files);
});

describe('a page of the owner’s', () => {
  it.each([...PAGES, '/memory/log.jsonl', '/memory/checkpoints.json'])(
    'leads anybody else to the sign-in, and back: %s',
    async (path) => {
      for (const headers of [
        {},
        { authorization: 'Bearer bwl_pat_x' },
        { cookie: '__Host-bowline=bwl_sess_x' },
      ]) {
        const answer = await browser().send(path, { headers });
        expect(answer.status).toBe(303);
        const to = new URL(answer.headers.get('location') ?? '', GATEWAY);
        expect(to.pathname).toBe('/signin');
        expect(await answer.text()).toBe('');
      }
    },
  );

  it.each(PAGES)('is small, ours alone, and free of what strangers wrote: %s', async (path) => {
    const answer = await (await signedIn()).send(path);
    const html = await answer.text();
    expect([200, 404]).toContain(answer.status);
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(html).not.toMatch(/<script>|<img|\u202e|\u{e0172}|\u3164|\u034f|\u2800|\u2065/u);
    expect(html).not.toContain('\u0007');
    expect(html).not.toMatch(/<[^>]*\s(?:on\w+|style)=/);
    expect(new TextEncoder().encode(html).length).toBeLessThan(40_000);
    for (const [, address = ''] of html.matchAll(/\s(?:src|action)="([^"]*)"/g))
      expect(address).toMatch(/^\/(?!\/)/);
  });

  it.each(MISSING)('says what there is instead of %s', async (path) => {
    const answer = await (await signedIn()).send(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<h1>');
  });
});

describe('the memory’s page', () => {
  it('shows an entry whole at the address that search gives, its letters spelt out', async () => {
    const html = await (await (await signedIn()).send('/memory/decisions.jsonl?line=1')).text();
    expect(html).toContain('id="L1"');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}gnp.exe');
  });

  it('hands out the log as a file, as it is kept', async () => {
    const answer = await (await signedIn()).send('/memory/log.jsonl');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="log.jsonl"');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    const lines = new TextDecoder()
      .decode(await answer.arrayBuffer())
      .trimEnd()
      .split('\n');
    const { head } = await memory().export(0, 1);
    expect(JSON.parse(lines.at(-1) ?? '').hash).toBe(head.hash);
    expect(lines).toHaveLength(head.seq);
  });
});

describe('the repo’s page', () => {
  it('numbers the lines of a file, a page at a time', async () => {
    const own = await signedIn();
    const first = await (await own.send('/repo/docs/long.txt')).text();
    expect(first).toContain('id="L300"');
    expect(first).not.toContain('id="L301"');
    const at = await (await own.send('/repo/docs/long.txt?line=2500')).text();
    expect(at).toContain('id="L2500"');
    expect(at).not.toContain('id="L300"');
  });

  it('never shows bytes as text, and sends the memory’s files to their own page', async () => {
    const own = await signedIn();
    expect(await (await own.send('/repo/docs/pic.bin')).text()).toContain('not UTF-8 text');
    const answer = await own.send('/repo/.claude/memory/decisions.jsonl');
    expect(answer.headers.get('location')).toBe('/memory/decisions.jsonl');
  });
});

describe('a try-it form', () => {
  const run = async (tool: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const own = await signedIn();
    const answer = await own.submit(`/catalogue/${tool}`, { csrf: own.csrf, ...fields }, headers);
    return { status: answer.status, html: await answer.text() };
  };

  it('runs the tool as the owner, and the ledger has it', async () => {
    const { status, html } = await run('hello', { 'arg.name': HOSTILE });
    expect(status).toBe(200);
    expect(html).toContain('Hello, ');
    const shown = /id="result".*?<\/section>/s.exec(html)?.[0];
    expect(shown).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}gnp.exe');
    expect(html).not.toContain('<script>');
    const [entry] = (await env.GATE.get(env.GATE.idFromName('owner')).ledger({ tool: 'hello', limit: 1 }))
      .entries;
    expect(entry).toMatchObject({ principal: 'owner', client: 'console' });
  });

  it('shows in words why arguments were refused, with what was typed', async () => {
    const { html } = await run('hello', { 'arg.name': 'x'.repeat(101) });
    expect(html).toContain('invalid_input 400');
    expect(html).toContain(`value="${'x'.repeat(101)}"`);
  });

  it('gives nobody a way round an approval, the owner included', async () => {
    const call = { 'arg.file': 'best_practices.md', 'arg.entry': `- ${crypto.randomUUID()}` };
    const { html } = await run('write_memory_entry', call);
    const code = /href="\/approvals\/([\w-]+)"/.exec(html)?.[1] ?? '';
    expect(code).not.toBe('');
    expect(html).toContain('not run yet');
    const before = (await memory().state()).seq;
    // Running it again decides nothing.
    expect((await run('write_memory_entry', call)).html).toContain('not run yet');
    expect((await memory().state()).seq).toBe(before);
    const gate = env.GATE.get(env.GATE.idFromName('owner'));
    await gate.decide(code, 'approve', 'tests', true);
    // Another argument is another call.
    const other = { ...call, 'arg.entry': '- something else' };
    expect((await run('write_memory_entry', other)).html).toContain('not run yet');
    expect((await run('write_memory_entry', call)).html).toContain('Appended line');
    expect((await memory().state()).seq).toBe(before + 1);
  });

  it('runs nothing for another page, or without its ticket', async () => {
    const calls = async () =>
      (await env.GATE.get(env.GATE.idFromName('owner')).ledger({ tool: 'hello', limit: 200 })).entries.length;
    const before = await calls();
    for (const [fields, headers] of [
      [{ csrf: 'wrong' }, {}],
      [{}, { origin: 'https://evil.example' }],
      [{}, { 'sec-fetch-site': 'cross-site' }],
      [{}, { 'content-type': 'text/plain' }],
    ] as const) {
      expect((await run('hello', { 'arg.name': 'Eve', ...fields }, headers)).status).toBe(403);
    }
    const stranger = browser();
    expect((await stranger.submit('/catalogue/hello', { csrf: 'x', 'arg.name': 'Eve' })).status).toBe(303);
    const asToken = await send('/catalogue/hello', {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
    });
    expect(asToken.redirected || asToken.status === 303).toBe(true);
    expect(await calls()).toBe(before);
  });
});

describe('the way to a machine', () => {
  it('is checked by a form of ours alone, and only for a machine that is paired', async () => {
    const own = await signedIn();
    expect((await own.submit('/machines/health', { csrf: 'wrong', id: 'x' })).status).toBe(403);
    expect((await own.submit('/machines/health', { csrf: own.csrf, id: 'x' })).status).toBe(404);
    expect(await owner().machines()).toEqual([]);
  });
});

describe('joined servers', () => {
  const listed = async () => {
    const answer = await (await signedIn()).send('/api/owner/servers');
    return ((await answer.json()) as { servers: { name: string }[] }).servers.map(({ name }) => name);
  };

  it('are joined, looked at, shown with what is wrong, and removed, by forms of ours alone', async () => {
    const own = await signedIn();
    const add = { name: 'notes', url: 'http://127.0.0.1:1/<b>', token: 'very secret' };
    expect((await own.submit('/servers/add', { ...add, csrf: 'wrong' })).status).toBe(403);
    expect(await listed()).toEqual([]);
    expect((await own.submit('/servers/add', { ...add, csrf: own.csrf, name: 'No Good' })).status).toBe(400);
    expect((await own.submit('/servers/add', { ...add, csrf: own.csrf })).status).toBe(303);
    expect(await listed()).toEqual(['notes']);
    const html = await (await own.send('/servers')).text();
    expect(html).toContain('problem</span>');
    expect(html).toContain('Sign-in</dt><dd>token');
    expect(html).not.toContain('very secret');
    expect(html).not.toContain('<b>');
    expect((await own.submit('/servers/add', { ...add, csrf: own.csrf })).status).toBe(400);
    expect((await own.submit('/servers/check', { csrf: own.csrf, name: 'notes' })).status).toBe(303);
    expect((await own.submit('/servers/sign-in', { csrf: own.csrf, name: 'notes' })).status).toBe(400);
    const grade = { csrf: own.csrf, name: 'notes', tool: 'none', hash: '0'.repeat(64), grade: 'safe_write' };
    expect((await own.submit('/servers/grade', grade)).status).toBe(400);
    expect((await own.submit('/servers/remove', { csrf: own.csrf, name: 'notes' })).status).toBe(303);
    expect((await own.submit('/servers/remove', { csrf: own.csrf, name: 'notes' })).status).toBe(400);
    expect(await listed()).toEqual([]);
  });
});

describe('first-run set-up', () => {
  it('knows what is done', async () => {
    const html = await (await (await signedIn()).send('/setup')).text();
    expect(html).toMatch(/1(?:<!-- -->)? of (?:<!-- -->)?4/);
    expect(html).toMatch(/done-step.*Mirror a repo/s);
  });
});
