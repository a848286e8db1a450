import { afterEach, describe, expect, it } from 'vitest';
import { deployFrom } from '../../support/deploy.ts';
import { hasTerminal } from '../../support/terminal.ts';

let bench: ReturnType<typeof deployFrom> | undefined;
afterEach(() => bench?.forget());
const fromNobody = () => {
  bench = deployFrom('https://bowline.me.workers.dev', { accounts: undefined as never });
  return bench;
};
const commandsOf = (calls: readonly { args: string[] }[]) =>
  calls.map(({ args }) => args.filter((arg) => /^[a-z0-9]+$/.test(arg)).join(' '));

describe('bowline deploy, where nobody is signed in to Cloudflare', () => {
  it.runIf(hasTerminal)('offers to sign in, and goes on after it', async () => {
    const { deployInTerminal, calls, account } = fromNobody();
    const terminal = deployInTerminal(['--no-doctor']);
    await terminal.shows(/Sign in with your browser now\?/);
    terminal.type('y\n');
    await terminal.shows(/Create the Worker bowline in the Cloudflare account Me's Account/);
    terminal.type('y\n');
    expect(await terminal.ended).toBe(0);
    expect(commandsOf(calls()).slice(0, 4)).toEqual(['whoami', 'login', 'whoami', 'r2 bucket list']);
    expect(calls()[1]?.env).not.toHaveProperty('CI');
    expect(account().deployed).toBe(true);
  });

  it.runIf(hasTerminal)('signs nobody in who says no', async () => {
    const { deployInTerminal, calls } = fromNobody();
    const terminal = deployInTerminal(['--no-doctor']);
    await terminal.shows(/Sign in with your browser now\?/);
    terminal.type('n\n');
    expect(await terminal.ended).toBe(1);
    expect(terminal.output()).toContain('npx wrangler login');
    expect(commandsOf(calls())).toEqual(['whoami']);
  });
});
