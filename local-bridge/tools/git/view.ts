import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../workspace/disk.ts';
import type { Folder } from '../workspace/workspace.ts';
import {
  type FoundRepository,
  type GitPorts,
  type GitProblem,
  isProblem,
  kindOf,
  refused,
  textOf,
} from './repository.ts';
import { runGit } from './run-git.ts';

/**
 * A git folder of Bowline's own that shows a repository's objects, branches and index, with settings that Bowline
 * wrote. Git reads no setting of the repository, so none can name a program, not even settings of future versions of
 * git.
 */
interface View {
  readonly env: Readonly<Record<string, string>>;
  readonly branch: string | null;
  close(): void;
}

/** The entries of a repository that the view shows, by folder. All of them are data. */
const OWN = ['index'];
const SHARED = ['objects', 'refs', 'packed-refs', 'reftable', 'shallow'];
const SHARED_INFO = ['exclude', 'sparse-checkout'];

/** The settings about the format of the repository, with their allowed values. */
const KEPT: ReadonlyMap<string, RegExp> = new Map([
  ['core.repositoryformatversion', /^[01]$/],
  ['core.filemode', /^(?:true|false)$/],
  ['core.ignorecase', /^(?:true|false)$/],
  ['core.symlinks', /^(?:true|false)$/],
  ['core.precomposeunicode', /^(?:true|false)$/],
  ['core.autocrlf', /^(?:true|false|input)$/],
  ['core.eol', /^(?:lf|crlf|native)$/],
  ['core.sparsecheckout', /^(?:true|false)$/],
  ['core.sparsecheckoutcone', /^(?:true|false)$/],
  ['extensions.objectformat', /^sha(?:1|256)$/],
  ['extensions.refstorage', /^(?:files|reftable)$/],
]);
/** The settings that name the branch that another branch follows. */
const FOLLOWED = /^(?:branch\..+\.(?:remote|merge)|remote\..+\.fetch)$/s;
const MAX_FOLLOWED = 400;
/** Longer names of branches and remotes are left out: git gets these settings in its environment, which has limited room. */
const MAX_FOLLOWED_CHARS = 256;

/** The age at which to remove a view that a killed bridge left. */
const STALE_MS = 3_600_000;
/** The most files to check for links. */
const MAX_ENTRIES = 100_000;

export async function openView(
  repository: FoundRepository,
  ports: GitPorts,
  signal: AbortSignal,
): Promise<View | GitProblem> {
  const { own, shared } = repository;
  const { disk, home } = ports;
  // A split index is in several files.
  const indexes = own.use((here) => disk.list(here)).map(({ name }) => name);
  const ownParts = [...OWN, ...indexes.filter((name) => name.startsWith('sharedindex.'))];
  const wrong =
    linkIn(own, ownParts, disk) ?? linkIn(shared, [...SHARED, 'info'], disk) ?? borrowed(shared, disk);
  if (wrong !== undefined) return refused(wrong);
  const settings = await settingsOf(repository, disk, signal);
  if (isProblem(settings)) return settings;
  // Copy the text, because git takes a link in place of HEAD for the name of a branch.
  const head = await textOf(own, 'HEAD', ports);
  if (head === undefined) return refused('Its HEAD is not a plain file.');
  const folder = newFolder(join(home, 'git-views'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(join(folder, 'HEAD'), `${head}\n`);
    for (const name of ownParts) show(own, name, folder, disk);
    for (const name of SHARED) show(shared, name, folder, disk);
    mkdirSync(join(folder, 'info'));
    for (const name of SHARED_INFO) show(shared, `info/${name}`, folder, disk);
    writeFileSync(join(folder, 'config'), settings.file);
  } catch (error) {
    close();
    throw error;
  }
  const branch = /^ref: refs\/heads\/(?!\.invalid$)(.+)$/.exec(head)?.[1] ?? null;
  return { env: { GIT_DIR: folder, GIT_WORK_TREE: '.', ...asEnvironment(settings.followed) }, branch, close };
}

function newFolder(views: string): string {
  mkdirSync(views, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(views)) {
    const path = join(views, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > STALE_MS) rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(views, 'view-'));
}

function show(from: Folder, name: string, folder: string, disk: Disk): void {
  if (kindOf(from, name, disk) !== undefined) symlinkSync(join(from.path, name), join(folder, name));
}

/**
 * Says what is wrong if one of these is a link or no plain file, at any depth. A link would show files of another
 * place.
 */
function linkIn(folder: Folder, names: readonly string[], disk: Disk): string | undefined {
  const waiting = names.filter((name) => kindOf(folder, name, disk) !== undefined);
  let left = MAX_ENTRIES;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const kind = kindOf(folder, name, disk);
    if (kind === 'other') return 'There is a link in its `.git`.';
    if (kind !== 'folder') continue;
    for (const entry of folder.use((here) => disk.list(`${here}/${name}`))) {
      if (--left < 0) return 'It has too many loose files to check. `git gc` packs them.';
      if (entry.isDirectory()) waiting.push(`${name}/${entry.name}`);
      else if (!entry.isFile()) return 'There is a link in its `.git`.';
    }
  }
  return undefined;
}

function borrowed(shared: Folder, disk: Disk): string | undefined {
  const names = ['objects/info/alternates', 'objects/info/http-alternates'];
  return names.some((name) => kindOf(shared, name, disk) !== undefined)
    ? 'It borrows objects from another folder.'
    : undefined;
}

interface Settings {
  /** The settings' file of the view. */
  readonly file: string;
  readonly followed: readonly (readonly [key: string, value: string])[];
}

async function settingsOf(
  { own, shared }: FoundRepository,
  disk: Disk,
  signal: AbortSignal,
): Promise<Settings | GitProblem> {
  const kept = new Map<string, string>();
  const followed: [string, string][] = [];
  for (const [folder, name] of [
    [shared, 'config'],
    [own, 'config.worktree'],
  ] as const) {
    const kind = kindOf(folder, name, disk);
    if (kind === undefined) continue;
    if (kind !== 'file') return refused('Its settings are not a plain file.');
    // Read only this file, and none that it includes.
    const args = ['config', '--no-includes', '--file', name, '--list', '-z'];
    const { out, problem } = await runGit(folder, args, { signal, env: { GIT_DIR: devNull } });
    if (problem) return problem;
    for (const entry of out.toString('utf8').split('\0')) {
      const end = entry.indexOf('\n');
      const [key, value] = [entry.slice(0, end), entry.slice(end + 1)];
      if (end < 0) continue;
      if (KEPT.get(key)?.test(value.toLowerCase())) kept.set(key, value.toLowerCase());
      const isLong = key.length > MAX_FOLLOWED_CHARS || value.length > MAX_FOLLOWED_CHARS;
      if (FOLLOWED.test(key) && !isLong && followed.length < MAX_FOLLOWED) followed.push([key, value]);
    }
  }
  const lines = [...kept].map(([key, value]) => {
    const [section, name] = key.split('.');
    return `[${section}]\n\t${name} = ${value}\n`;
  });
  return { file: `[core]\n\tbare = false\n${lines.join('')}`, followed };
}

/** Gives settings through git's environment variables, where a value cannot become anything else. */
function asEnvironment(pairs: Settings['followed']): Record<string, string> {
  const named = pairs.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${pairs.length}`, ...Object.fromEntries(named) };
}
