import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { plainFiles, type Seen, type Snapshot } from '../terminal/touched-files.ts';
import { type Disk, errnoOf } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Content } from './entry.ts';
import { contentOf } from './journal.ts';
import type { KeptContents } from './kept-contents.ts';

/** Limits of what is kept before a command, so that the command begins soon. */
export const KEEP = { files: 1_000, bytes: 32 * 1024 * 1024, ms: 250 } as const;

/** Files that are read or written at the same time, here and after the command. */
export const AT_ONCE = 32;

/** A change this recent may be followed by another with the same change time. */
const QUIET_NS = 3_000_000_000n;

/** What was kept of a file, and how it looked then. A file that looks the same need not be read again. */
export interface Remembered extends Content {
  readonly print: string;
}

interface KeepPorts {
  readonly workspace: Pick<Workspace, 'file' | 'isOpen'>;
  readonly disk: Disk;
  readonly contents: KeptContents;
  readonly remembered: Map<string, Remembered>;
}

/** Tells whether all files are few and small enough to be kept, so that nobody has to ask git. */
export function fitsLimits(before: Snapshot): boolean {
  let [files, bytes] = [0, 0];
  for (const [, { size }] of plainFiles(before)) {
    files += 1;
    bytes += size;
    if (files > KEEP.files || bytes > KEEP.bytes) return false;
  }
  return true;
}

/** Keeps the content of the files that git does not have, nearest first, within the limits. */
export async function keepBefore(
  root: Root,
  before: Snapshot,
  clean: ReadonlyMap<string, string>,
  ports: KeepPorts,
): Promise<readonly (Content & { readonly path: string })[]> {
  const until = performance.now() + KEEP.ms;
  const wanted: [path: string, seen: Seen][] = [];
  let bytes = 0;
  for (const [path, seen] of plainFiles(before)) {
    if (wanted.length >= KEEP.files) break;
    if (clean.has(path) || seen.size > MAX_FILE_BYTES || bytes + seen.size > KEEP.bytes) continue;
    // What undoing may not write need not be kept.
    if (!ports.workspace.isOpen(root, path, 'write')) continue;
    bytes += seen.size;
    wanted.push([path, seen]);
  }
  const kept: (Content & { readonly path: string })[] = [];
  for (let i = 0; i < wanted.length && performance.now() < until; i += AT_ONCE) {
    const some = wanted.slice(i, i + AT_ONCE).map(async ([path, seen]) => {
      const content = known(root, path, seen, ports) ?? (await readAndKeep(root, path, seen, ports));
      return content === undefined ? [] : [{ path, ...onlyContent(content) }];
    });
    kept.push(...(await Promise.all(some)).flat());
  }
  return kept;
}

function onlyContent({ sha256, bytes, mode }: Content): Content {
  return { sha256, bytes, mode };
}

function keyOf(root: Root, path: string): string {
  return `${root.path}\0${path}`;
}

function known(
  root: Root,
  path: string,
  { print }: Seen,
  { contents, remembered }: KeepPorts,
): Content | undefined {
  const found = remembered.get(keyOf(root, path));
  return found?.print === print && contents.has(found.sha256) ? found : undefined;
}

async function readAndKeep(
  root: Root,
  path: string,
  { print }: Seen,
  { workspace, disk, contents, remembered }: KeepPorts,
): Promise<Content | undefined> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const file = workspace.file(root, path, 'read');
  if (isRefusal(file)) return undefined;
  try {
    const bytes = await readWhole(file, disk);
    const { ctimeNs, size } = disk.fstat(file.fd);
    // Somebody writes to it now, so nobody knows what it will be when the command begins.
    if (ctimeNs !== file.stats.ctimeNs || Number(size) !== bytes.length) return undefined;
    const content = contentOf(bytes, Number(file.stats.mode));
    await contents.put(bytes);
    const isQuiet = ctimeNs + QUIET_NS < now && print.includes(`:${ctimeNs}:`);
    if (isQuiet) remembered.set(keyOf(root, path), { ...content, print });
    return content;
  } catch (error) {
    // The disk is full, or the file cannot be read. The command runs all the same, and its answer says what is not covered.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    file.close();
  }
}
