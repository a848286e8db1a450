import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../local-bridge/lib/processes.ts';
import { showProgress } from '../../../local-bridge/local/up/progress.ts';

function screen(isTTY: boolean) {
  let text = '';
  const stream = {
    isTTY,
    write: (written: string) => {
      text += written;
      return true;
    },
  };
  return { progress: showProgress(stream as NodeJS.WriteStream), text: () => text };
}

describe('progress', () => {
  it('is one line that changes in a terminal, and is gone at the end', () => {
    const { progress, text } = screen(true);
    progress.step('One');
    progress.step('Two');
    progress.end();
    progress.end();
    expect(text()).toBe('One …\r\u001b[KTwo …\r\u001b[K');
  });

  it('is plain lines anywhere else', () => {
    const { progress, text } = screen(false);
    progress.step('One');
    progress.step('Two');
    progress.end();
    expect(text()).toBe('One …\nTwo …\n');
  });
});

it('any free port is one that the system gives to no connection before a server takes it', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort(0)));
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(Math.min(...ports)).toBeGreaterThan(1_023);
});

describe('a port that is taken', () => {
  it('is named with the next one that is free, and that one can be had', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const refusal = await freePort(port).catch((error: unknown) => error as { suggestion: string });
    other.close();
    const suggestion = typeof refusal === 'number' ? '' : refusal.suggestion;
    const free = Number(/^(\d+) is free: `--port \1`\./.exec(suggestion)?.[1]);
    expect(free).toBeGreaterThan(port);
    expect(await freePort(free)).toBe(free);
  });

  // The system's own word: the product's could leave the address out.
  const hasBoth = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'));
  it.skipIf(!hasBoth)('is also one that a program has under the other address of localhost', async () => {
    const other = createServer().listen(0, '::1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    await expect(freePort(port)).rejects.toThrow(`Port ${port} is taken by another program.`);
  });
});
