import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnyContract } from '../../contracts/contract.ts';
import { effectErrors, machineErrors } from '../../contracts/door-errors.ts';
import { catalogue } from '../../contracts/index.ts';
import { mlxLoad, mlxUnload } from '../../contracts/mlx.ts';
import { undoOfCall } from '../../contracts/undo.ts';
import { fetchWebpage } from '../../contracts/webpage.ts';
import { localCaller } from '../../local-bridge/cli/ports.ts';
import { filePreviews } from '../../local-bridge/tools/handlers/files-ports.ts';
import { mlxPreviews } from '../../local-bridge/tools/handlers/mlx-preview.ts';
import { webpagePreviews } from '../../local-bridge/tools/handlers/webpage-preview.ts';
import { refuse, type WorkspaceRefusal } from '../../local-bridge/tools/workspace/refusal.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Looked } from '../../src/core/preview.ts';
import { look as lookAt } from '../support/look.ts';
import { claimModelPorts, stranger } from '../support/model-ports.ts';
import { prepared } from '../support/prepared.ts';
import { type MlxRig, mlxRig } from './mlx/rig.ts';
import { openRig } from './terminal/rig.ts';
import { openSessionRig } from './terminal/sessions/rig.ts';
import { fileRig, type Rig, refusing } from './workspace/rig.ts';

// The owner must not be asked about a call that would be refused. So each error of a tool that asks has its place here:
// either the tool knows it before, and its preview ends the call with it, or nobody can know it yet.

/** Errors that nobody can know before the tool acts, and why. */
const ONLY_BY_ACTING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  create_file: { write_failed: 'the disk' },
  create_directory: { write_failed: 'the disk' },
  replace_string_in_file: { write_failed: 'the disk' },
  edit_files: { write_failed: 'the disk' },
  undo_call: { write_failed: 'the disk' },
  run_in_terminal: { command_not_found: 'the shell, which has words of its own' },
  fetch_webpage: {
    fetch_failed: 'the network',
    timeout: 'the network',
    not_text: 'the page',
    no_such_element: 'the page',
    selector_too_slow: 'the page',
  },
  mlx_load: { launch_failed: 'the model server' },
  mlx_unload: { stop_failed: 'the model server', not_configured: 'no command is needed to stop one' },
};

/** Errors that the schema gives by a check of its own, so that there is no call yet. */
const BY_SCHEMA: Readonly<Record<string, readonly string[]>> = {
  create_file: ['file_too_large'],
  write_memory_entry: ['entry_too_large'],
};

/** Shown by the memory's own tests, in the runtime of the gateway: `read.test.ts`. */
const OF_THE_MEMORY = ['memory_locked'];

type Case = () => Promise<Looked> | Looked;
type Cases = Readonly<Record<string, Case>>;

const MB = 1024 * 1024;
const files = () =>
  fileRig({
    files: { 'there.txt': 'old old\n', 'sub/': '', bytes: 'a\0b', 'large.txt': 'x'.repeat(10 * MB + 1) },
  });
type FileTool = Parameters<Rig['look']>[0];

/** What every tool that changes files refuses by path alone. */
function byPath(tool: FileTool, argsFor: (path: string) => object): Cases {
  const at = (path: string) => () => files().look(tool, argsFor(path));
  return {
    unknown_root: () => files().look(tool, { ...argsFor('x'), root: 'other' }),
    invalid_path: at('a\u202eb'),
    path_outside_root: at('../x'),
    path_denied: at('.git/config'),
    permission_denied: () =>
      fileRig({ files: { 'there.txt': 'old\n' }, disk: refusing('EACCES', /./, 'mayAdd') }).look(
        tool,
        argsFor('there.txt'),
      ),
  };
}

const look = (tool: FileTool, args: object) => () => files().look(tool, args);
/** Looks at undoing an edit, after what happened meanwhile, or where the workspace refuses to write to the file. */
const undoing = (meanwhile: (rig: Rig) => void, code?: WorkspaceRefusal['code']) => async () => {
  const rig = files();
  await rig.call('replace_string_in_file', { path: 'there.txt', old_string: 'old', new_string: 'new' });
  meanwhile(rig);
  if (code === undefined) return rig.look('undo_call', {});
  const { file } = rig.workspace;
  const workspace: typeof rig.workspace = {
    ...rig.workspace,
    file: (root, path, to) => (to === 'write' ? refuse(code, 'It is refused') : file(root, path, to)),
  };
  const call = prepared(undoOfCall, {}, { caller: localCaller('cli', 'vitest') });
  return lookAt(undoOfCall, call, { ...rig.ports, workspace }, filePreviews.undo_call);
};
const edits = (...edit: object[]) => look('edit_files', { edits: edit });
const change = (path: string, old_string = 'old') =>
  look('replace_string_in_file', { path, old_string, new_string: 'new' });
const terminal =
  (args: object, options: Parameters<typeof openRig>[0] = {}) =>
  async () => {
    const rig = await openRig(options);
    writeFileSync(join(rig.root, 'a.txt'), '');
    return rig.look({ command: 'true', ...args });
  };
const closed: Parameters<typeof openSessionRig>[0] = {
  workspace: (real) => ({
    ...real,
    folder: (root, path) =>
      path === 'sub' ? refuse('permission_denied', 'The system forbids it') : real.folder(root, path),
  }),
};
/** Looks at a call while some sessions of `cat` run, or have ended. */
const lasting =
  (
    tool: 'terminal_start' | 'terminal_send',
    args: object,
    options: Parameters<typeof openSessionRig>[0] = {},
    running: readonly string[] = [],
    then?: 'end',
  ) =>
  async () => {
    const rig = await openSessionRig(options);
    writeFileSync(join(rig.root, 'a.txt'), '');
    for (const session of running) await rig.start({ session, command: 'cat' });
    if (then) for (const session of running) await rig.call('terminal_stop', { session });
    return rig.look(tool, { session: 'work', ...args });
  };
const page = (url: string) => () =>
  lookAt(fetchWebpage, prepared(fetchWebpage, { url }), { web: { fetch } }, webpagePreviews.fetch_webpage);

const nextPort = await claimModelPorts();
let models: MlxRig;
beforeEach(() => {
  models = mlxRig();
});
afterEach(() => models.end());
const load = (more: object, model?: string, port = nextPort()) => {
  const ports = { mlx: models.controller(more), clock: systemClock };
  const args = { model: model ?? models.download('org/good'), port };
  return lookAt(mlxLoad, prepared(mlxLoad, args), ports, mlxPreviews['mlx.load']);
};
const unload = (port: number, more: object = {}) => {
  const ports = { mlx: models.controller(more), clock: systemClock };
  return lookAt(mlxUnload, prepared(mlxUnload, { port }), ports, mlxPreviews['mlx.unload']);
};
const besideAStranger = async (work: (port: number) => Promise<Looked>) => {
  const port = nextPort();
  const close = await stranger(port);
  return work(port).finally(close);
};

const BEFORE: Readonly<Record<string, Cases>> = {
  create_file: {
    ...byPath('create_file', (path) => ({ path: path === 'there.txt' ? 'new.txt' : path, content: 'x' })),
    file_exists: look('create_file', { path: 'there.txt', content: 'x' }),
    not_a_directory: look('create_file', { path: 'there.txt/x', content: 'x' }),
  },
  create_directory: {
    ...byPath('create_directory', (path) => ({ path: path === 'there.txt' ? 'new' : path })),
    file_exists: look('create_directory', { path: 'there.txt' }),
  },
  replace_string_in_file: {
    ...byPath('replace_string_in_file', (path) => ({ path, old_string: 'old', new_string: 'new' })),
    file_not_found: change('no.txt'),
    not_a_file: change('sub'),
    binary_file: change('bytes', 'a'),
    string_not_found: change('there.txt', 'none'),
    file_too_large: change('large.txt', 'x'),
  },
  edit_files: {
    ...byPath('edit_files', (path) => ({ edits: [{ op: 'append', path, text: 'x' }] })),
    file_not_found: edits({ op: 'overwrite', path: 'no.txt', text: '' }),
    not_a_file: edits({ op: 'delete', path: 'sub' }),
    not_a_directory: edits({ op: 'create', path: 'there.txt/x', text: '' }),
    file_exists: edits({ op: 'create', path: 'there.txt', text: '' }),
    binary_file: edits({ op: 'replace', path: 'bytes', old: 'a', text: '' }),
    string_not_found: edits({ op: 'replace', path: 'there.txt', old: 'none', text: '' }),
    string_not_unique: edits({ op: 'replace', path: 'there.txt', old: 'old', text: '' }),
    line_not_found: edits({ op: 'insert', path: 'there.txt', line: 99, text: '' }),
    file_changed: edits({ op: 'delete', path: 'there.txt', sha256: 'a'.repeat(64) }),
    file_too_large: edits({ op: 'append', path: 'large.txt', text: 'x' }),
  },
  undo_call: {
    unknown_root: look('undo_call', { root: 'other' }),
    nothing_to_undo: look('undo_call', {}),
    file_changed: undoing((rig) => rmSync(rig.at('there.txt'))),
    not_kept: undoing((rig) => rmSync(join(rig.base, 'home', 'undo', 'call_1.before'))),
    ...Object.fromEntries(
      (['invalid_path', 'path_outside_root', 'path_denied', 'permission_denied', 'not_a_file'] as const).map(
        (code) => [code, undoing(() => undefined, code)],
      ),
    ),
  },
  run_in_terminal: {
    unknown_root: terminal({ root: 'nowhere' }),
    invalid_path: terminal({ cwd: 'a\u202eb' }),
    path_outside_root: terminal({ cwd: '../x' }),
    path_denied: terminal({ cwd: '.ssh' }),
    permission_denied: terminal(
      { cwd: 'sub' },
      {
        workspace: (real) => ({
          ...real,
          folder: () => refuse('permission_denied', 'The system forbids it'),
        }),
      },
    ),
    directory_not_found: terminal({ cwd: 'none' }),
    not_a_directory: terminal({ cwd: 'a.txt' }),
    terminal_off: terminal({}, { settings: { enabled: false } }),
  },
  terminal_start: {
    unknown_root: lasting('terminal_start', { root: 'nowhere' }),
    invalid_path: lasting('terminal_start', { cwd: 'a\u202eb' }),
    path_outside_root: lasting('terminal_start', { cwd: '../x' }),
    path_denied: lasting('terminal_start', { cwd: '.ssh' }),
    permission_denied: lasting('terminal_start', { cwd: 'sub' }, closed),
    directory_not_found: lasting('terminal_start', { cwd: 'none' }),
    not_a_directory: lasting('terminal_start', { cwd: 'a.txt' }),
    terminal_off: lasting('terminal_start', {}, { settings: { enabled: false } }),
    no_lasting_terminal: lasting('terminal_start', {}, { staysOpen: false }),
    session_exists: lasting('terminal_start', {}, {}, ['work']),
    too_many_sessions: lasting('terminal_start', {}, {}, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']),
  },
  terminal_send: {
    unknown_root: lasting('terminal_send', { text: 'ls', root: 'nowhere' }, {}, ['work']),
    invalid_path: lasting('terminal_send', { text: 'ls', cwd: 'a\u202eb' }, {}, ['work']),
    path_outside_root: lasting('terminal_send', { text: 'ls', cwd: '../x' }, {}, ['work']),
    path_denied: lasting('terminal_send', { text: 'ls', cwd: '.ssh' }, {}, ['work']),
    permission_denied: lasting('terminal_send', { text: 'ls', cwd: 'sub' }, closed, ['work']),
    directory_not_found: lasting('terminal_send', { text: 'ls', cwd: 'none' }, {}, ['work']),
    not_a_directory: lasting('terminal_send', { text: 'ls', cwd: 'a.txt' }, {}, ['work']),
    terminal_off: lasting('terminal_send', { text: 'ls' }, { settings: { enabled: false } }),
    session_not_found: lasting('terminal_send', { text: 'ls' }),
    session_ended: lasting('terminal_send', { text: 'ls' }, {}, ['work'], 'end'),
    not_at_prompt: lasting('terminal_send', { text: 'ls' }, {}, ['work']),
  },
  fetch_webpage: { blocked_url: page('http://127.0.0.1/') },
  mlx_load: {
    not_configured: () => load({ command: ['no-such-program-here'] }),
    host_unreachable: () => load({ host: 'down' }),
    model_not_found: () => load({}, 'org/nowhere'),
    port_busy: () => besideAStranger((port) => load({}, undefined, port)),
    not_enough_memory: () => load({ reserve_bytes: Number.MAX_SAFE_INTEGER }),
  },
  mlx_unload: {
    host_unreachable: () => unload(nextPort(), { host: 'down' }),
    not_listening: () => unload(nextPort()),
    not_ours: () => besideAStranger((port) => unload(port)),
  },
};

const asking: readonly AnyContract[] = Object.values(catalogue).filter(({ approval }) => approval === 'ask');

describe('a call that would be refused', () => {
  it('is known by every error of every tool that asks', () => {
    for (const contract of asking) {
      const { wireName, errors, inputErrors = {} } = contract;
      const byTheGateway = [...Object.keys(machineErrors), ...Object.keys(effectErrors)];
      const placed = [
        ...byTheGateway,
        // What the schema refuses never gets as far as a preview.
        ...Object.values(inputErrors),
        ...(BY_SCHEMA[wireName] ?? []),
        ...Object.keys(BEFORE[wireName] ?? {}),
        ...Object.keys(ONLY_BY_ACTING[wireName] ?? {}),
        ...(wireName === 'write_memory_entry' ? OF_THE_MEMORY : []),
      ];
      expect([wireName, Object.keys(errors).filter((code) => !placed.includes(code))]).toEqual([
        wireName,
        [],
      ]);
    }
  });

  it('is no call yet if its text is too long', async () => {
    const called = await files().call('create_file', { path: 'x', content: 'x'.repeat(10 * MB + 1) });
    expect(called).toMatchObject({ kind: 'failed', failure: { code: 'file_too_large' } });
    expect(() => look('create_file', { path: 'x', content: 'x'.repeat(10 * MB + 1) })()).toThrow(
      /file_too_large|10 ?MB|bytes/,
    );
  });

  const each = Object.entries(BEFORE).flatMap(([tool, cases]) =>
    Object.entries(cases).map(([code, work]) => [tool, code, work] as const),
  );
  it.each(each)('of %s ends before anybody is asked: %s', async (_, code, work) => {
    expect(await work()).toMatchObject({ kind: 'failed', failure: { code } });
  });
});
