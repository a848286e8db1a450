import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { handOver } from '../../../local-bridge/lib/hand-over.ts';

const SECRET = 'http://localhost:8787/signin#code=K7QX-3M9D';

async function handedOver(): Promise<URL> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  await handOver(SECRET, (address) => resolve(new URL(address)));
  return promise;
}

const get = async (address: URL, init: RequestInit = {}) => {
  const { status, headers } = await fetch(address, { redirect: 'manual', ...init });
  return [status, headers.get('location')];
};

describe('an address that is handed to the browser', () => {
  it('leads on to the secret one, once', async () => {
    const address = await handedOver();
    expect(address.href).not.toContain('K7QX');
    expect(address.hostname).toBe('127.0.0.1');
    expect(await get(address)).toEqual([302, SECRET]);
    await expect(get(address)).rejects.toThrow();
  });

  it('tells nothing to who does not know its path, or does not ask as a browser opens a page', async () => {
    const address = await handedOver();
    expect(await get(new URL('/', address))).toEqual([404, null]);
    expect(await get(new URL(`${address.pathname}/..`, address))).toEqual([404, null]);
    expect(await get(address, { method: 'POST' })).toEqual([404, null]);
    expect(await get(address)).toEqual([302, SECRET]);
  });

  // Only root can start a program as somebody else.
  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'leads nowhere for another user of the computer, who may have read it in the list of processes',
    async () => {
      const address = await handedOver();
      const asked = `fetch(process.argv[1], { redirect: 'manual' }).then(({ status }) => console.log(status))`;
      const { promise, resolve } = Promise.withResolvers<string>();
      const child = spawn(process.execPath, ['-e', asked, address.href], { uid: 65_534, gid: 65_534 });
      child.stdout.setEncoding('utf8').once('data', resolve);
      child.stderr.setEncoding('utf8').once('data', resolve);
      expect((await promise).trim()).toBe('404');
      expect(await get(address)).toEqual([302, SECRET]);
    },
  );
});
