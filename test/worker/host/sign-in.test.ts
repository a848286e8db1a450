import { afterEach, describe, expect, it, vi } from 'vitest';
import { beginSignIn, finishSignIn, SIGN_IN_MS } from '../../../src/joined/sign-in.ts';
import { JoinedServer } from '../../support/joined-server.ts';
import { GATEWAY } from '../http.ts';
import { openHost } from './rig.ts';

afterEach(() => vi.useRealTimers());

/** A server with a sign-in of its own, on one address. */
class OAuthServer extends JoinedServer {
  readonly asked: URLSearchParams[] = [];
  tokens = 0;
  /** Why it gives no more tokens, in OAuth's words. */
  refuses = '';
  signInPage = 'https://joined.example/authorize';

  override async respond(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return Response.json({ resource: this.url, authorization_servers: [origin] });
    }
    if (pathname.startsWith('/.well-known/')) {
      return Response.json({
        issuer: origin,
        authorization_endpoint: this.signInPage,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (pathname === '/register') {
      return Response.json(
        { ...((await request.json()) as object), client_id: 'bowline-1' },
        { status: 201 },
      );
    }
    if (pathname === '/token') {
      this.asked.push(new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer())));
      if (this.refuses) return Response.json({ error: this.refuses }, { status: 400 });
      this.token = `access-token-${++this.tokens}`;
      return Response.json({
        access_token: this.token,
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: `refresh-token-${this.tokens}`,
      });
    }
    return super.respond(request);
  }
}

async function signInHost() {
  const server = new OAuthServer();
  server.token = 'nobody has this';
  const host = await openHost({ server });
  const row = { name: 'words', url: server.url };
  const begin = async () => {
    const begun = await beginSignIn(row, host.host);
    if ('problem' in begun) throw new Error(begun.problem);
    return new URL(begun.url);
  };
  const finish = (answer: Record<string, string>) => finishSignIn(new URLSearchParams(answer), host.host);
  return { server, host, row, begin, finish };
}

describe('signing in at a joined server', () => {
  it('sends the owner there with PKCE and a state, and keeps what comes of it in the gate alone', async () => {
    const { server, host, begin, finish } = await signInHost();
    expect((await host.gate().server('words'))?.problem).toMatch(/sign in/);
    const page = await begin();
    expect(page.origin + page.pathname).toBe('https://joined.example/authorize');
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      client_id: 'bowline-1',
      redirect_uri: `${GATEWAY}/servers/callback`,
      code_challenge_method: 'S256',
    });
    const state = page.searchParams.get('state') ?? '';
    expect(state.length).toBeGreaterThan(64);
    expect(await finish({ state, code: 'the-code' })).toEqual({ server: 'words' });
    expect(server.asked[0]?.get('code')).toBe('the-code');
    expect(await host.check()).toBeUndefined();
    expect(JSON.stringify(await host.gate().servers())).not.toMatch(/access-token|refresh-token|verifier/);
    expect(await host.gate().server('words')).toMatchObject({
      signIn: 'oauth',
      tools: [{ name: 'look_up' }],
    });
  });

  it('renews what has run out by itself', async () => {
    const { server, host, begin, finish } = await signInHost();
    await finish({ state: (await begin()).searchParams.get('state') ?? '', code: 'c' });
    server.token = 'revoked meanwhile';
    expect(await host.check()).toBeUndefined();
    expect(server.asked[1]?.get('grant_type')).toBe('refresh_token');
    expect(server.asked[1]?.get('refresh_token')).toBe('refresh-token-1');
  });

  it.each([
    ['invalid_grant', { client: { client_id: 'bowline-1' } }],
    ['invalid_client', {}],
  ])('forgets what a server takes no more (%s), and asks its owner to sign in again', async (why, kept) => {
    const { server, host, begin, finish } = await signInHost();
    await finish({ state: (await begin()).searchParams.get('state') ?? '', code: 'c' });
    server.token = 'revoked meanwhile';
    server.refuses = why;
    await host.check();
    expect((await host.gate().server('words'))?.problem).toMatch(/sign in/);
    const secret = JSON.parse((await host.gate().serverSecret('words')) ?? '{}');
    expect(secret).not.toHaveProperty('tokens');
    expect(secret).toMatchObject(kept);
    server.refuses = '';
    expect(await finish({ state: (await begin()).searchParams.get('state') ?? '', code: 'c' })).toEqual({
      server: 'words',
    });
    expect(await host.check()).toBeUndefined();
  });

  it('takes an answer once, in time, and with the state that was given', async () => {
    const { server, begin, finish } = await signInHost();
    const state = (await begin()).searchParams.get('state') ?? '';
    for (const wrong of ['', 'words', 'words.x', `${state}x`, state.replace('words', 'other')]) {
      expect(await finish({ state: wrong, code: 'c' })).toHaveProperty('problem');
    }
    expect(await finish({ state, error: 'access_denied' })).toHaveProperty('problem');
    expect(await finish({ state, code: 'c' })).toHaveProperty('problem');
    const again = (await begin()).searchParams.get('state') ?? '';
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + SIGN_IN_MS + 1 });
    expect(await finish({ state: again, code: 'c' })).toHaveProperty('problem');
    expect(server.asked).toEqual([]);
  });

  it('sends the owner to no page that is not encrypted', async () => {
    const { server, host, row } = await signInHost();
    server.signInPage = 'http://joined.example/authorize';
    expect(await beginSignIn(row, host.host)).toEqual({ problem: expect.stringMatching(/./) });
    server.signInPage = 'javascript:alert(1)';
    expect(await beginSignIn(row, host.host)).toEqual({ problem: expect.stringMatching(/./) });
  });
});
