import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { findHandlers } from '../../../local-bridge/tools/handlers/find.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';

const { file_search, grep_search } = catalogue;

export interface Found {
  readonly success: boolean;
  readonly output: string;
  readonly files_affected: string[];
  readonly execution_time_ms: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An open folder of these files, and the tools that search it. */
export function searchIn(
  files: Readonly<Record<string, string | Buffer>>,
  options: { searchMs?: number } = {},
) {
  const above = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-find-'));
  const root = join(above, 'work');
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const workspace = openWorkspace([{ path: root }]);
  onTestFinished(() => {
    workspace.close();
    rmSync(above, { recursive: true, force: true });
  });
  const door = new WatchedDoor();
  const tools = toolSet({ file_search, grep_search }, findHandlers, door, { workspace, ...options });
  const call = async (tool: string, args: object, caller: Partial<Caller> = {}): Promise<Result> => {
    const result = await tools.get(tool)?.call(args, { ...everyone, ...caller });
    if (!result) throw new Error(`there is no ${tool}`);
    return result;
  };
  const answer = async (tool: string, args: object): Promise<Found> => {
    const result = await call(tool, args);
    if (result.kind !== 'ok')
      throw new Error(`${JSON.stringify(result)} ${door.reported.map(({ error }) => error)}`);
    return result.output as Found;
  };
  return {
    root,
    /** A folder beside the open one, which nothing may reach. */
    above,
    call,
    files: (args: object) => answer('file_search', args),
    text: (args: object) => answer('grep_search', args),
    refused: async (tool: string, args: object) => failureIn(await call(tool, args)),
    /** What an answer lists, line by line. */
    items: ({ output }: Found) =>
      output
        .split('\n')
        .filter((line) => line.startsWith('  '))
        .map((line) => line.slice(2)),
  };
}
