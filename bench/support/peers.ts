import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Another file server, over stdio as its users run it. */
export interface Peer {
  readonly name: string;
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const PROJECT = resolve(import.meta.dirname, '..', '..');

export function serverFilesystem(root: string): Promise<Peer> {
  const program = join(PROJECT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
  return start('server-filesystem', [program, root], process.cwd());
}

/** Installs a package that the project itself does not need. If the registry lacks it, says so and gives nothing. */
export async function desktopCommander(): Promise<Peer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-peers-'));
  for (const name of ['package.json', 'package-lock.json']) {
    const from = join(PROJECT, 'bench', 'peers', name);
    if (existsSync(from)) copyFileSync(from, join(folder, name));
  }
  try {
    const command = existsSync(join(folder, 'package-lock.json')) ? 'ci' : 'install';
    execFileSync('npm', [command, '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 240_000,
    });
  } catch {
    console.log('desktop-commander could not be installed here, so it is left out.\n');
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const program = join(folder, 'node_modules/@wonderwhy-er/desktop-commander/dist/index.js');
  const peer = await start('desktop-commander', [program, '--no-onboarding'], folder);
  return {
    ...peer,
    close: async () => {
      await peer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a search of desktop-commander, which answers in parts, to its end. */
export async function searchToTheEnd(peer: Peer, args: Record<string, unknown>): Promise<void> {
  const started = await peer.call('start_search', args);
  const sessionId = /session: (\S+)/.exec(started)?.[1];
  if (sessionId === undefined) throw new Error(started.slice(0, 300));
  let said = started;
  while (!said.includes('Status: COMPLETED')) {
    // If asked more often, it spends its time on answers instead of the search.
    await setTimeout(50);
    said = await peer.call('get_more_search_results', { sessionId, offset: 0, length: 1 });
  }
}

async function start(name: string, args: string[], cwd: string): Promise<Peer> {
  const client = new Client({ name: 'bench', version: '1' });
  // Give it a home of its own, because some servers keep settings there. Nobody learns that they were used.
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, DESKTOP_COMMANDER_DISABLE_TELEMETRY: '1' };
  await client.connect(new StdioClientTransport({ command: 'node', args, cwd, env, stderr: 'ignore' }));
  return {
    name,
    call: async (tool, input) => {
      const result = await client.callTool({ name: tool, arguments: input }, { timeout: 300_000 });
      const text = result.content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
      if (result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
      return text;
    },
    close: () => client.close(),
  };
}
