import { describe, expect, it, vi } from 'vitest';
import { MAX_SKEW_MS } from '../../../local-bridge/cli/doctor/address.ts';
import { examine } from '../../../local-bridge/cli/doctor/examine.ts';
import { verdict } from '../../../local-bridge/cli/doctor/report.ts';
import { MAX_SCHEMA_BYTES } from '../../../local-bridge/cli/doctor/tools.ts';
import { doctorBench, failure, on } from '../../support/doctor-bench.ts';
import { GOOD_TOOL, serverMetadata } from '../../support/doctor-gateway.ts';
import { webServer } from '../../support/web-server.ts';

const bench = doctorBench();
const schemaOf = (bytes: number) => {
  const bare = { type: 'object', description: '' };
  return { ...bare, description: 'x'.repeat(bytes - JSON.stringify(bare).length) };
};

describe('doctor, at a gateway that is broken on purpose', () => {
  it('finds nothing wrong with one that is well', async () => {
    const findings = await bench.look({});
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(findings.length).toBeGreaterThan(30);
    expect(verdict(findings)).toBe('Every hop that was checked works.');
  });

  it('finds a token that expired', async () => {
    vi.stubEnv('BOWLINE_TOKEN', 'bwl_pat_old');
    const why = 'Bearer error="invalid_token", error_description="The token expired"';
    const findings = await bench.look(
      {
        instead: ({ bearer }) =>
          bearer === 'bwl_pat_old' ? { status: 401, headers: { 'www-authenticate': why } } : undefined,
      },
      { ownerKey: undefined },
    );
    expect(failure(findings)).toMatchObject({ section: 'Claude', check: 'initialize' });
    expect(failure(findings)?.found).toContain('The token expired');
    expect(failure(findings)?.cure).toMatch(/bowline login/);
  });

  it('finds an owner key that is refused', async () => {
    const body = {
      code: 'wrong_key',
      http_status: 401,
      message: 'That is not the key.',
      suggestion: 'Look it up.',
    };
    const findings = await bench.look(on('/api/owner/session', () => ({ status: 401, body })));
    expect(failure(findings)).toMatchObject({ section: 'Sign-in', cure: 'Look it up.' });
  });

  it('finds that nobody listens', async () => {
    const { origin, close } = await bench.start();
    await close();
    const findings = await examine({ url: origin, heard: () => undefined });
    expect(failure(findings)).toMatchObject({ section: 'Address', check: 'reach the gateway' });
    expect(failure(findings)?.cure).toMatch(/bowline up/);
    expect(findings.filter(({ state }) => state === 'skipped').map(({ section }) => section)).toEqual([
      'Claude',
      'ChatGPT',
      'Gateway',
      'Machines',
    ]);
  });

  it('finds https spoken to a server without it', async () => {
    const { origin } = await bench.start();
    const findings = await examine({ url: origin.replace('http:', 'https:'), heard: () => undefined });
    expect(failure(findings)?.found).toMatch(/encryption does not work/);
    expect(failure(findings)?.cure).toMatch(/http:\/\/ only on this computer/);
  });

  it('finds an address without encryption before it asks anything', async () => {
    const findings = await examine({ url: 'http://bowline.invalid', heard: () => undefined });
    expect(failure(findings)).toMatchObject({ check: 'https', cure: 'Use the https:// address.' });
    expect(findings[1]?.found).toMatch(/host name is not known/);
  });

  it('takes a schema of one byte less than 16 KB, a name of 64 characters, and a clock just within bounds', async () => {
    const tool = { ...GOOD_TOOL, name: 'a'.repeat(64), inputSchema: schemaOf(MAX_SCHEMA_BYTES - 1) };
    const findings = await bench.look({ tools: [tool] }, { now: () => Date.now() + MAX_SKEW_MS - 1_000 });
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  });

  it('changes nothing but a token of its own, which it revokes', async () => {
    await bench.look({});
    const changing = bench.asked().filter((line) => !line.startsWith('GET '));
    expect(changing.filter((line) => line.includes('/api/'))).toEqual([
      'POST /api/owner/session',
      'POST /api/owner/tokens',
      'POST /api/owner/machines/m_1/ping',
      'DELETE /api/owner/tokens/t_1',
      'DELETE /api/owner/session',
    ]);
  });

  it('registers with the callbacks of both only when it is asked to', async () => {
    const register = on('/oauth/register', () => ({
      status: 201,
      body: { client_id: 'c', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] },
    }));
    const findings = await bench.look(register, { registers: true });
    expect(failure(findings)).toMatchObject({ section: 'Claude', check: 'registration' });
    expect(failure(findings)?.found).toContain('claude.com');
  });

  it('sends nothing to a server that the gateway only names', async () => {
    const other = await webServer();
    try {
      const named = (at: string) =>
        bench.look(
          on('/.well-known/oauth-authorization-server', ({ origin }) => ({
            body: { ...serverMetadata(origin), [at]: `${other.origin}/oauth` },
          })),
        );
      for (const at of ['token_endpoint', 'registration_endpoint']) {
        expect(failure(await named(at))).toMatchObject({ check: 'OAuth endpoints' });
        await bench.stop();
      }
      expect(other.asked).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('sends no key and no token over an open line', async () => {
    vi.stubEnv('BOWLINE_TOKEN', 'bwl_pat_mine');
    const sent: string[] = [];
    const real = globalThis.fetch;
    const { origin } = await bench.start();
    // The name leads nowhere, so what is asked of it is sent to the stand-in instead.
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      sent.push(`${input} ${JSON.stringify(init)}`);
      return real(String(input).replace('http://bowline.invalid', origin), init);
    });
    try {
      await examine({ url: 'http://bowline.invalid', ownerKey: 'bwl_owner_mine', heard: () => undefined });
    } finally {
      vi.mocked(globalThis.fetch).mockRestore();
    }
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.join('\n')).not.toMatch(/_mine/);
  });
});
