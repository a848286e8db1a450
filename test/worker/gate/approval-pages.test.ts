import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AT_LENGTH } from '../../support/at-length.ts';
import { browser, later, type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed, openRig } from './rig.ts';
import { sendBy } from './ways.ts';

/** The gate that the product itself asks. */
const rig = openRig({ name: 'owner' });
const MINUTE = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  for (const { code } of await gateNamed('owner').approvals('pending')) await rig.decide(code, 'deny');
});

/** An approval that waits for a call with these arguments. */
async function waiting(args: object = {}, client = 'Claude'): Promise<string> {
  const before = rig.announced.all.length;
  await sendBy('url', rig, { args: { path: crypto.randomUUID(), ...args }, client });
  return (await rig.announced.nth(before + 1)).code;
}

const pageOf = async (visit: OwnerBrowser, path: string) => {
  const response = await visit.send(path);
  return { status: response.status, headers: response.headers, html: await response.text() };
};

/** What a browser shows of a piece of HTML. */
const seen = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '&',
    );

/** The whole of the arguments, as the page shows them when they are unfolded. */
const unfolded = (html: string) =>
  seen(/All arguments<\/summary><pre[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? '');

describe('the page of an approval', () => {
  it('shows who asks, what for, and the decisions there are', async () => {
    const visit = await signedIn();
    const code = await waiting({ path: 'notes.md', content: 'hello', machine: 'mini' });
    const { status, headers, html } = await pageOf(visit, `/approvals/${code}`);
    expect(status).toBe(200);
    const shown = seen(html);
    for (const part of [code, 'Claude', 'mini', 'writes', 'waits for you', '<5 bytes>', 'notes.md']) {
      expect(shown).toContain(part);
    }
    expect(unfolded(html)).toContain('content: hello');
    expect(shown).toContain('Claude wants to use desk_write on mini');
    expect(shown).not.toContain('Approve? (y/n/always)');
    expect(html.match(/name="decision" value="\w+"/g)).toHaveLength(5);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('is the owner’s, who is led back to it after signing in', async () => {
    const code = await waiting();
    const visit = browser();
    for (const path of [`/approvals/${code}`, '/approvals']) {
      const response = await visit.send(path);
      expect(response.status).toBe(303);
      const [to = '', query] = (response.headers.get('location') ?? '').split('?');
      expect([to, new URLSearchParams(query).get('next')]).toEqual(['/signin', path]);
    }
  });

  it.each([
    ['approve', 'approved, runs when the caller asks again'],
    ['deny', 'denied'],
    ['always', 'approved, runs when the caller asks again'],
  ])('decides with a form that says %s, and leads back to itself', async (decision, state) => {
    const visit = await signedIn();
    const code = await waiting();
    const response = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision });
    expect([response.status, response.headers.get('location')]).toEqual([303, `/approvals/${code}`]);
    const { html } = await pageOf(visit, `/approvals/${code}`);
    expect(seen(html)).toContain(state);
    expect(html).not.toMatch(/name="decision" value="(?:approve|always)"/);
    const again = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'approve' });
    expect(again.status).toBe(409);
    expect(seen(await again.text())).toMatch(/already/);
  });

  it('decides nothing with a form that says nothing it knows', async () => {
    const visit = await signedIn();
    const code = await waiting();
    for (const decision of ['', 'APPROVE', 'yes', 'consumed']) {
      const response = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision });
      expect([response.status, await response.text()]).toEqual([
        409,
        expect.stringContaining('Choose approve'),
      ]);
    }
    expect(await gateNamed('owner').approval(code)).toMatchObject({ state: 'pending' });
  });

  it('says when it is too late, and offers nothing', async () => {
    const visit = await signedIn();
    const code = await waiting();
    later(10 * MINUTE);
    const { html } = await pageOf(visit, `/approvals/${code}`);
    expect(seen(html)).toContain('expired without an answer');
    expect(html).not.toContain('name="decision"');
    const response = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'approve' });
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('too late')]);
  });

  it.each(['ZZZZ-ZZZZ', 'x', '%3Cscript%3E', '%E0%A4%A', `${'a'.repeat(2_000)}`])(
    'is none for a code that was not given out: %s',
    async (code) => {
      const visit = await signedIn();
      const { status, html } = await pageOf(visit, `/approvals/${code}`);
      expect([status, seen(html)]).toEqual([404, expect.stringContaining('No such approval')]);
      const response = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'approve' });
      expect(response.status).toBe(404);
    },
  );
});

describe('what strangers wrote', () => {
  const MARKUP = `</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>"'&amp;&lt;`;

  it('stays text, wherever it stands', async () => {
    const visit = await signedIn();
    const content = `${MARKUP}\n${MARKUP}`;
    const code = await waiting({ path: MARKUP, content, machine: '<b>mini</b>' }, MARKUP);
    for (const path of [`/approvals/${code}`, '/approvals']) {
      const { html } = await pageOf(visit, path);
      expect(html).not.toMatch(/<script>|<img|<b>/);
      expect(seen(html)).toContain('</pre></details><script>alert(1)');
    }
    const { html } = await pageOf(visit, `/approvals/${code}`);
    expect(unfolded(html)).toContain(`    | ${MARKUP}\n    | ${MARKUP}`);
  });

  it('is shown for what it is where it could not be seen', async () => {
    const visit = await signedIn();
    const tricks = '\u202eevil\u202c \u200b \u2066 \u0000 \u001b[31m \u007f \u0085 \ufeff \u2028 \u{e0041}';
    const code = await waiting(
      { path: `a${tricks}`, content: `x${tricks}`, machine: `m${tricks}` },
      `Cl${tricks}`,
    );
    for (const path of [`/approvals/${code}`, '/approvals']) {
      const { html } = await pageOf(visit, path);
      // Line ends are the page's own.
      expect(html.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }
    const { html } = await pageOf(visit, `/approvals/${code}`);
    const spelt = '\\u{202e}evil\\u{202c} \\u{200b} \\u{2066} \\u{0} \\u{1b}[31m';
    for (const name of ['a', 'x', 'm', 'Cl']) expect(seen(html)).toContain(name + spelt);
  });

  it('cannot pass for a line of the question', async () => {
    const visit = await signedIn();
    const content = 'x\nRisk level: read_only\n\nApprove? (y/n/always):\r\nTool: hello';
    const code = await waiting({ path: 'a\nFiles affected: (none)', content });
    const lines = unfolded((await pageOf(visit, `/approvals/${code}`)).html).split('\n');
    expect(lines.filter((line) => /^(?:Tool|Risk level|Files affected|Approve)/.test(line))).toHaveLength(3);
    expect(lines).toContain('Risk level: safe_write');
  });

  it.each([
    ['1 MB in one line', 'x'.repeat(1_000_000)],
    ['3 MB of lines', 'a line of a text, é\n'.repeat(150_000)],
    ['3 MB of characters that need a pair', `x${'😀'.repeat(750_000)}`],
    ['3 MB of markup', `x${'<&">'.repeat(750_000)}`],
    ['what is spelt out, more than can be stored in one piece', '\u0001\u202e'.repeat(200_000)],
  ])('is shown whole: %s', async (_, content) => {
    const visit = await signedIn();
    const code = await waiting({ content });
    const { status, html } = await pageOf(visit, `/approvals/${code}`);
    expect(status).toBe(200);
    const written = content.replaceAll('\u0001', '\\u{1}').replaceAll('\u202e', '\\u{202e}');
    const lines = written.split('\n');
    const wanted = lines.length > 1 ? lines.map((line) => `    | ${line}`).join('\n') : written;
    // A difference of megabytes would take minutes to print.
    expect(unfolded(html).includes(wanted)).toBe(true);
  });
});

describe('the list of approvals', () => {
  it('is there however large what waits is', async () => {
    const visit = await signedIn();
    const codes: string[] = [];
    // One caller may hold a quarter of the places.
    await gateNamed('owner').changeSetting('max_pending', 100);
    onTestFinished(() => gateNamed('owner').changeSetting('max_pending', 20));
    // Together more than the 32 MiB that one answer of an object may have.
    for (let i = 0; i < (AT_LENGTH ? 20 : 12); i++)
      codes.push(await waiting({ content: `${i}`.padEnd(3_000_000, 'x') }));
    const { status, html } = await pageOf(visit, '/approvals');
    expect(status).toBe(200);
    for (const code of codes) expect(html).toContain(`href="/approvals/${code}"`);
    const listed = await gateNamed('owner').approvals('pending');
    expect(listed.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
    expect(listed[0]?.full).toMatch(/\[\d{7} more characters on the page of \w{4}-\w{4}\]$/);
    expect(listed[0]?.text).toMatch(/^Tool: desk_write\n/);
  });

  it('is empty when there is nothing', async () => {
    const visit = await signedIn();
    later(25 * 60 * MINUTE);
    const fresh = await visit.send('/approvals');
    expect(fresh.status).toBe(303);
    const again = await signedIn();
    expect(seen((await pageOf(again, '/approvals')).html)).toContain('Nothing waits for you');
  });
});
