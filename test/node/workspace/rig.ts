import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { localCaller } from '../../../local-bridge/cli/ports.ts';
import {
  type FilePorts,
  fileHandlers,
  filePreviews,
} from '../../../local-bridge/tools/handlers/files-ports.ts';
import { openUndoJournal, type UndoLimits } from '../../../local-bridge/tools/undo/journal.ts';
import { type Disk, nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import {
  type Held,
  holdByHandle,
  holdByWorkingDirectory,
  type Root,
} from '../../../local-bridge/tools/workspace/held.ts';
import { openWorkspace, type Workspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import type { Looked } from '../../../src/core/preview.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { prepared } from '../../support/prepared.ts';

export type Hold = (path: string, disk: Disk) => Held;

/** Both ways of holding directories, so that what is meant for other systems is tried here too. */
export const WAYS: readonly (readonly [string, Hold])[] = [
  ['by handle', holdByHandle],
  ['by working directory', holdByWorkingDirectory],
];

const { read_file, read_files, list_dir, create_file, create_directory, replace_string_in_file } = catalogue;
const { edit_files, undo_call } = catalogue;
const contracts = {
  ...{ read_file, read_files, list_dir, create_file, create_directory, replace_string_in_file },
  ...{ edit_files, undo_call },
};

export interface Rig {
  /** Holds the open folder, the state folder, and what is outside both. */
  readonly base: string;
  readonly path: string;
  readonly root: Root;
  readonly workspace: Workspace;
  readonly ports: FilePorts;
  /** Runs a tool through the door, as every way in does. */
  call(name: keyof typeof contracts, args: object, signal?: AbortSignal): Promise<Result>;
  /** Runs a tool as somebody else. */
  callAs(principal: string, name: keyof typeof contracts, args: object): Promise<Result>;
  /** What a call would do. */
  look(name: keyof typeof contracts, args: object): Promise<Looked>;
  /** Runs a call that the owner approved when this was the state of things. */
  callSeen(name: keyof typeof contracts, args: object, seen: string): Promise<Result>;
  at(...names: string[]): string;
}

export interface RigSettings {
  /** Files to begin with, by path; a path that ends in `/` is a directory. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly disk?: Disk;
  readonly hold?: Hold;
  readonly limits?: UndoLimits;
}

/** An open folder with everything the file tools need, gone after the test. */
export function fileRig({ files = {}, disk = nodeDisk, hold, limits }: RigSettings = {}): Rig {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const path = join(base, 'project');
  const home = join(base, 'home');
  mkdirSync(path);
  for (const [name, content] of Object.entries(files)) put(join(path, name), content);
  const workspace = openWorkspace([{ path }], { closed: [home], disk, ...(hold ? { hold } : {}) });
  onTestFinished(() => workspace.close());
  const undo = openUndoJournal(join(home, 'undo'), { disk, ...(limits ? { limits } : {}) });
  const ports = { workspace, undo, disk };
  const unforeseen: unknown[] = [];
  let calls = 0;
  const tools = toolSet(
    contracts,
    fileHandlers,
    {
      newCallId: () => `call_${++calls}`,
      admit: () => ADMITTED,
      ...NO_LEDGER,
      report: (error) => unforeseen.push(error),
    },
    ports,
    filePreviews,
  );
  const toolNamed = (name: string) => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`No tool ${name}`);
    return tool;
  };
  const here = localCaller('cli', 'vitest');
  const run = async (name: keyof typeof contracts, args: object, more: Partial<Caller>) => {
    const result = await toolNamed(name).call(args, { ...here, ...more });
    if (unforeseen.length > 0) throw unforeseen[0];
    return result;
  };
  const [root] = workspace.roots;
  if (!root) throw new Error('No root');
  return {
    base,
    path,
    root,
    workspace,
    ports,
    at: (...names) => join(path, ...names),
    look: (name, args) => toolNamed(name).look(prepared(contracts[name], args, { caller: here })),
    callSeen: async (name, args, seen) => {
      const result = await toolNamed(name).run({
        ...prepared(contracts[name], args, { caller: here, callId: `call_${++calls}` }),
        seen,
      });
      if (unforeseen.length > 0) throw unforeseen[0];
      return result;
    },
    call: (name, args, signal) => run(name, args, signal ? { signal } : {}),
    callAs: (principal, name, args) => run(name, args, { principal }),
  };
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(path.endsWith('/') ? path : dirname(path), { recursive: true });
  if (!path.endsWith('/')) writeFileSync(path, content);
}

/** What a call answered, or the failure it ended with. */
export function outputOf(
  result: Result,
): Record<string, unknown> & { output: string; metadata: Record<string, unknown> } {
  if (result.kind !== 'ok') throw new Error(`Not answered: ${JSON.stringify(result)}`);
  return result.output as Record<string, unknown> & { output: string; metadata: Record<string, unknown> };
}

/** The code and message of a call that failed. */
export function failureOf(result: Result): { readonly code: string; readonly message: string } {
  if (result.kind !== 'failed') throw new Error(`Not failed: ${JSON.stringify(result)}`);
  return { code: result.failure.code, message: result.failure.message };
}

/** A disk that refuses to open some paths. */
export function refusing(
  code: string,
  paths: RegExp,
  on: 'open' | 'makeDirectory' | 'link' | 'mayAdd' = 'open',
): Disk {
  return {
    ...nodeDisk,
    [on]: (path: string, ...rest: never[]) => {
      if (paths.test(path)) throw Object.assign(new Error(code), { code });
      return (nodeDisk[on] as (...all: unknown[]) => unknown)(path, ...rest);
    },
  };
}
