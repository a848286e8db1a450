import { afterEach, describe, expect, it, vi } from 'vitest';
import { send } from '../http.ts';
import { approve, type Browser, openConsent, owner, personalToken, registered, signedIn } from './support.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const TAG = '<script>alert(1)</script>';

const names: [what: string, name: string, shown: string][] = [
  ['a tag', TAG, '&lt;script&gt;alert(1)&lt;/script&gt;'],
  [
    'the end of an attribute',
    '"><img src=x onerror=alert(1)>',
    '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;',
  ],
  ['the end of another', "' autofocus onfocus='alert(1)", '&#39; autofocus onfocus=&#39;alert(1)'],
  ['the end of the title', '</title></h1><script>', '&lt;/title&gt;&lt;/h1&gt;&lt;script&gt;'],
  ['something already escaped', '&lt;b&gt;&#60;', '&amp;lt;b&amp;gt;&amp;#60;'],
  ['a comment', '<!-- -->', '&lt;!-- --&gt;'],
  ['a turn of direction', 'Claude\u202egpj.exe', 'Claude\\u{202e}gpj.exe'],
  ['an isolate', '\u2066Claude\u2069', '\\u{2066}Claude\\u{2069}'],
  ['a letter nobody sees', 'Cla\u200bude', 'Cla\\u{200b}ude'],
  ['an order behind an emoji', 'Claude 😀\ufe0f\u{e0162}', 'Claude 😀\\u{fe0f}\\u{e0162}'],
  ['blanks that are letters', 'Claude\u3164\u2800x', 'Claude\\u{3164}\\u{2800}x'],
  ['a joiner', 'Cla\u200dude', 'Cla\\u{200d}ude'],
  ['a mark of order', '\ufeffClaude', '\\u{feff}Claude'],
  ['a soft hyphen', 'Cla\u00adude', 'Cla\\u{ad}ude'],
  ['a letter of a flag', 'Claude\u{e0041}', 'Claude\\u{e0041}'],
  ['a null', 'Cla\u0000ude', 'Cla\\u{0}ude'],
  ['an escape', 'Claude\u001b[31m', 'Claude\\u{1b}[31m'],
  ['a line of its own', 'Claude\n✓ verified\tapp', 'Claude\\n✓ verified\\tapp'],
  ['a line end of its own', 'Claude\u2028(verified)', 'Claude\\u{2028}(verified)'],
];

/** What a reader could be misled by, nowhere to be found in the whole page. */
function expectClean(html: string) {
  expect(html).not.toMatch(/(?![\t\n\r])\p{Cc}|\p{Cf}|\u2028|\u2029/u);
  expect(html).not.toMatch(/<script>|<img|onerror=alert\(1\)>|<!-- /);
  expect(html.match(/<h1/g)).toHaveLength(1);
}

async function pagesAbout(
  clientId: string,
  visitor: Browser,
): Promise<{ consent: string; connections: string }> {
  const consent = await openConsent(visitor, clientId);
  expect((await approve(visitor, consent)).status).toBe(303);
  return { consent: consent.html, connections: await (await visitor.send('/connections')).text() };
}

describe('an app that calls itself', () => {
  it.each(names)('%s is shown spelt out', async (_, client_name, shown) => {
    const { consent, connections } = await pagesAbout(await registered({ client_name }), await signedIn());
    for (const html of [consent, connections]) {
      expectClean(html);
      expect(html).toContain(shown);
      expect(html.includes(client_name)).toBe(false);
    }
    expect(consent).toContain(`<h1>Let “${shown}” use your Bowline?</h1>`);
  });

  it('something of three hundred letters is cut to eighty', async () => {
    const { consent, connections } = await pagesAbout(
      await registered({ client_name: 'x'.repeat(300) }),
      await signedIn(),
    );
    for (const html of [consent, connections]) {
      expect(html).toContain(`${'x'.repeat(80)}…`);
      expect(html).not.toContain('x'.repeat(81));
    }
  });

  it('a pair of letters that is cut in two is shown whole or not at all', async () => {
    const client_name = `${'x'.repeat(79)}😀😀`;
    const { consent } = await pagesAbout(await registered({ client_name }), await signedIn());
    expect(consent.isWellFormed()).toBe(true);
    expect(consent).not.toContain('😀');
  });

  it.each(['', '   ', '\t\n'])('nothing is called by its id: %j', async (client_name) => {
    const clientId = await registered({ client_name });
    const { html } = await openConsent(await signedIn(), clientId);
    expect(html).toContain(`<h1>Let “${clientId}” use`);
  });

  it('after somebody else is not said to be verified', async () => {
    const { html } = await openConsent(
      await signedIn(),
      await registered({ client_name: 'Claude by claude.ai' }),
    );
    expect(html).toContain('unknown: the app chose its own name');
    expect(html).toContain('<strong>app.example</strong>');
  });

  it('with pictures and links has none of them shown', async () => {
    const clientId = await registered({
      client_uri: 'https://evil.example/about',
      logo_uri: 'https://evil.example/logo.png',
      tos_uri: 'https://evil.example/tos',
      policy_uri: 'https://evil.example/policy',
    });
    expect((await openConsent(await signedIn(), clientId)).html).not.toContain('evil.example');
  });

  it('by a host in letters that look like others is shown in letters that do not', async () => {
    const redirect_uri = 'https://\u0430pp.example/callback';
    const clientId = await registered({ redirect_uris: [redirect_uri] });
    const { html } = await openConsent(await signedIn(), clientId, { redirect_uri });
    expect(html).toContain('<strong>xn--pp-6kc.example</strong>');
    expect(html).not.toContain('\u0430pp');
  });
});

describe('what else a stranger may have written', () => {
  const connections = async () => (await (await signedIn()).send('/connections')).text();

  it.each(names)('as the name of a token is shown spelt out: %s', async (_, name, shown) => {
    await personalToken(['read'], 1, name);
    const html = await connections();
    expectClean(html);
    expect(html).toContain(shown);
  });

  it.each(names)(
    'as the name of a browser is shown spelt out, or as a name we know: %s',
    async (_, agent) => {
      const { session } = await owner().openSession({ method: 'owner_key', agent, address: '2001:db8::1' });
      expectClean(await connections());
      await owner().closeSession(session.id);
    },
  );

  it.each(names)('as the name of a passkey is shown spelt out: %s', async (_, name, shown) => {
    const id = crypto.randomUUID();
    await owner().savePasskey({ id, publicKey: new ArrayBuffer(1), counter: 0, transports: [], name });
    const html = await connections();
    expectClean(html);
    expect(html).toContain(shown);
    await owner().removePasskey(id);
  });

  it('as where to go on to, or in a request that is refused, is not markup', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('there is no network here'));
    vi.spyOn(console, 'warn').mockReturnValue();
    const visitor = await signedIn();
    for (const path of [
      `/authorize?client_id=${encodeURIComponent(TAG)}`,
      `/authorize?client_id=${encodeURIComponent(`https://x.org/${TAG}`)}`,
      `/authorize?client_id=${encodeURIComponent(`https://10.0.0.1/${TAG}`)}`,
    ]) {
      expectClean(await (await visitor.send(path)).text());
    }
    const form = await send(`/signin?next=${encodeURIComponent(`/"${TAG}\u202e`)}`);
    expectClean(await form.text());
  });
});
