import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { gitHandlers } from '../../../local-bridge/tools/handlers/git.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import type { Result } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { repoIn } from '../../support/mirror-repo.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';

const { git_read } = catalogue;

interface Read {
  readonly output: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An open folder that is a repository with one commit, and `git_read` over it. */
export function gitRig(files: Readonly<Record<string, string | Buffer>> = { 'a.txt': 'one\n' }) {
  const above = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-git-'));
  const root = join(above, 'work');
  const home = join(above, 'home');
  for (const folder of [root, home]) mkdirSync(folder);
  const repo = repoIn(root);
  repo.commit(files);
  const workspace = openWorkspace([{ path: root }], { closed: [home] });
  onTestFinished(() => {
    workspace.close();
    rmSync(above, { recursive: true, force: true });
  });
  const door = new WatchedDoor();
  const tools = toolSet({ git_read }, gitHandlers, door, { workspace, disk: nodeDisk, home });
  const call = async (args: object): Promise<Result> => {
    const result = await tools.get('git_read')?.call(args, everyone);
    if (!result) throw new Error('there is no git_read');
    return result;
  };
  /** A program that a hostile repository names. It leaves a mark if it runs. */
  const program = join(above, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${above}/ran\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  return {
    ...{ above, root, home, repo, program, call },
    ran: () => existsSync(join(above, 'ran')),
    read: async (args: object): Promise<Read> => {
      const result = await call(args);
      if (result.kind !== 'ok')
        throw new Error(`${JSON.stringify(result)} ${door.reported.map(({ error }) => error)}`);
      return result.output as Read;
    },
    refused: async (args: object) => failureIn(await call(args)),
  };
}

export type GitRig = ReturnType<typeof gitRig>;

/** One call of each kind, over everything there is. */
export async function readAll({ call, repo }: GitRig, path = 'a.txt'): Promise<string> {
  const head = repo.git('rev-parse', 'HEAD');
  const asked = [
    ...[{ what: 'status' }, { what: 'diff' }, { what: 'diff', staged: true }, { what: 'log' }],
    ...[{ what: 'show' }, { what: 'show', ref: head }, { what: 'blame', path }, { what: 'log', path }],
  ];
  const results = [];
  for (const args of asked) results.push(await call(args));
  return JSON.stringify(results);
}

/** A repository beside the open folder, with something in it that nothing may show. */
export function beside({ above }: GitRig) {
  mkdirSync(join(above, 'beside'));
  const other = repoIn(join(above, 'beside'));
  other.commit({ 'a.txt': 'OUTSIDE\n' });
  return other;
}
