import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { watchHandlers } from '../../../local-bridge/tools/handlers/watch.ts';
import type { TerminalStatus } from '../../../local-bridge/tools/terminal/terminal.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';

const { watch } = catalogue;

interface Seen {
  readonly output: string;
  readonly metadata: { readonly happened: boolean; readonly exists: boolean; readonly state: string };
}

function watchIn(network: TerminalStatus['network'] = null) {
  const above = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-watch-'));
  const root = join(above, 'work');
  mkdirSync(root);
  const workspace = openWorkspace([{ path: root }]);
  onTestFinished(() => {
    workspace.close();
    rmSync(above, { recursive: true, force: true });
  });
  const status = (): TerminalStatus => ({
    ...{ on: true, sandboxed: network !== null, confinement: 'x', shell: '/bin/sh', network },
  });
  const ports = { workspace, disk: nodeDisk, terminal: { status } };
  const tools = toolSet({ watch }, watchHandlers, new WatchedDoor(), ports);
  const call = async (args: object, caller: Partial<Caller> = {}): Promise<Result> => {
    const result = await tools.get('watch')?.call(args, { ...everyone, ...caller });
    if (!result) throw new Error('there is no watch');
    return result;
  };
  return {
    ...{ root, above, call },
    see: async (args: object): Promise<Seen> => {
      const result = await call(args);
      if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
      return result.output as Seen;
    },
  };
}

async function listening(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  onTestFinished(() => void server.close());
  return { port: address.port, close: () => void server.close() };
}

describe('watch', () => {
  it('says at once what is so already', async () => {
    const { see, root } = watchIn();
    writeFileSync(join(root, 'a.txt'), '');
    expect(await see({ path: 'a.txt', until: 'exists' })).toMatchObject({ output: "'a.txt' exists.\n" });
    expect((await see({ path: 'b.txt', until: 'gone' })).metadata).toMatchObject({
      happened: true,
      exists: false,
    });
  });

  it('waits for a file to come, to change and to go', async () => {
    const { see, root } = watchIn();
    const path = join(root, 'a.txt');
    const coming = see({ path: 'a.txt', until: 'exists' });
    writeFileSync(path, 'one');
    const { metadata } = await coming;
    expect(metadata).toMatchObject({ happened: true, exists: true });
    appendFileSync(path, 'two');
    // What changed between two calls counts as well.
    const changed = await see({ path: 'a.txt', since: metadata.state });
    expect(changed.output).toBe("'a.txt' changed, and exists.\n");
    const going = see({ path: 'a.txt', until: 'gone' });
    rmSync(path);
    expect((await going).metadata).toMatchObject({ happened: true, exists: false });
  });

  it('sees that something was added to a folder, and that a file was replaced', async () => {
    const { see, root } = watchIn();
    writeFileSync(join(root, 'a.txt'), 'one');
    const folder = (await see({ path: '.', until: 'exists' })).metadata.state;
    const file = (await see({ path: 'a.txt', until: 'exists' })).metadata.state;
    writeFileSync(join(root, 'b.txt'), 'one');
    renameSync(join(root, 'b.txt'), join(root, 'a.txt'));
    expect((await see({ path: '.', since: folder })).metadata.happened).toBe(true);
    expect((await see({ path: 'a.txt', since: file })).metadata.happened).toBe(true);
  });

  it('says so when nothing happens', async () => {
    const { see } = watchIn();
    expect(await see({ path: 'a.txt', timeout_seconds: 1 })).toMatchObject({
      output: "Nothing happened within 1 s: 'a.txt' does not exist.\n",
      metadata: { happened: false },
    });
  });

  it('waits for a port to be listened on, and to be free', async () => {
    const { see } = watchIn();
    const server = await listening();
    expect((await see({ port: server.port, until: 'exists' })).output).toBe(`Port ${server.port} exists.\n`);
    const going = see({ port: server.port, until: 'gone' });
    server.close();
    expect((await going).metadata.happened).toBe(true);
  });

  it.each([
    [[], 'port_closed'],
    [['registry.npmjs.org'], 'port_closed'],
  ])('looks at no port where commands may reach %j alone', async (network, code) => {
    const { call } = watchIn(network);
    const { port } = await listening();
    expect(failureIn(await call({ port, until: 'exists' })).code).toBe(code);
  });

  it('looks at ports where commands may reach this machine', async () => {
    const { port } = await listening();
    expect((await watchIn(['localhost']).see({ port, until: 'exists' })).metadata.exists).toBe(true);
  });

  it.each([
    [{ path: '../x' }, 'path_outside_root'],
    [{ path: 'link' }, 'path_outside_root'],
    [{ path: '.env' }, 'path_denied'],
    [{ path: '.ssh/id_rsa' }, 'path_denied'],
    [{ path: 'a\u202e' }, 'invalid_path'],
    [{ path: 'a.txt', root: 'other' }, 'unknown_root'],
    [{}, 'invalid_input'],
    [{ path: 'a.txt', port: 80 }, 'invalid_input'],
  ])('refuses %j', async (args, code) => {
    const { call, root, above } = watchIn();
    writeFileSync(join(above, 'x'), '');
    symlinkSync(join(above, 'x'), join(root, 'link'));
    writeFileSync(join(root, '.env'), '');
    expect(failureIn(await call({ until: 'exists', ...args })).code).toBe(code);
  });

  const codesOf = async (many: readonly Promise<Result>[]) =>
    (await Promise.all(many)).map((result) => (result.kind === 'failed' ? result.failure.code : result.kind));
  const waits = { path: 'a.txt', timeout_seconds: 1 };

  it('waits for so many things at once and for no more', async () => {
    const { call } = watchIn();
    const many = Array.from({ length: 17 }, (_, at) => call(waits, { principal: `app:${at % 3}` }));
    const codes = await codesOf(many);
    expect(codes.filter((code) => code === 'too_many_watches')).toHaveLength(1);
    expect((await call({ path: 'a.txt', until: 'gone' })).kind).toBe('ok');
  });

  it('waits for so many things for one client, and leaves places for the others', async () => {
    const { call } = watchIn();
    const ofOne = Array.from({ length: 9 }, () => call(waits, { principal: 'app:greedy' }));
    const codes = await codesOf([...ofOne, call(waits, { principal: 'app:other' })]);
    expect(codes).toEqual([...Array(8).fill('ok'), 'too_many_watches', 'ok']);
  });

  it('ends when its caller leaves', async () => {
    const { call } = watchIn();
    const leaving = new AbortController();
    const waiting = call({ path: 'a.txt', timeout_seconds: 35 }, { signal: leaving.signal });
    leaving.abort();
    expect(failureIn(await waiting).code).toBe('cancelled');
  });
});
