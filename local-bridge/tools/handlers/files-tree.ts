import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { Disk } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Entries, entriesIn, entryLine, type Listed } from './files-list.ts';

/** A directory with what is below it. */
export interface Tree {
  readonly lines: readonly string[];
  readonly files: number;
  readonly directories: number;
  /** The size of all files that were seen. */
  readonly bytes: number;
  /** True if there is more than was looked at. */
  readonly isCut: boolean;
}

interface TreePorts {
  readonly workspace: Workspace;
  readonly disk: Disk;
}

/** The time after which a tree ends, so that a huge one keeps nobody waiting. */
const MAX_MS = 5_000;

/** Lists a directory and the ones below it, as many levels and lines as asked for. Follows no link. */
export async function treeOf(
  root: Root,
  path: string,
  { levels, limit }: { readonly levels: number; readonly limit: number },
  ports: TreePorts,
): Promise<Tree | WorkspaceRefusal> {
  const tree = { lines: [] as string[], files: 0, directories: 0, bytes: 0, isCut: false };
  const until = performance.now() + MAX_MS;
  const isFull = () => tree.lines.length >= limit || performance.now() > until;

  const add = (entry: Listed, level: number, said: string) => {
    tree.lines.push(
      '  '.repeat(level) + entryLine(entry).replace(/\n$/, said === '' ? '\n' : ` (${said})\n`),
    );
  };
  const walk = async (folder: string, listed: Looked, level: number): Promise<void> => {
    for (const [i, entry] of listed.entries.sorted.entries()) {
      if (isFull()) {
        tree.isCut = true;
        return;
      }
      if (entry.kind !== 'directory') {
        const size = listed.sizes[i];
        if (entry.kind === 'file') tree.files += 1;
        tree.bytes += size ?? 0;
        add(entry, level, size === undefined ? '' : bytesIn(size));
        continue;
      }
      tree.directories += 1;
      const below = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      const inside = level + 1 < levels ? look(root, below, ports) : undefined;
      if (inside === undefined) add(entry, level, '');
      else if (isRefusal(inside)) add(entry, level, 'closed');
      else {
        const count = inside.entries.sorted.length;
        add(entry, level, count === 0 ? 'empty' : `${count} ${count === 1 ? 'entry' : 'entries'}`);
        // A tree of many folders must not keep the machine from its other calls.
        await yieldOnce();
        await walk(below, inside, level + 1);
      }
    }
  };

  const top = look(root, path, ports);
  if (isRefusal(top)) return top;
  await walk(path, top, 0);
  return tree;
}

export function bytesIn(size: number): string {
  return `${size} ${size === 1 ? 'byte' : 'bytes'}`;
}

interface Looked {
  readonly entries: Entries;
  /** The size of each entry that is a file and open to tools. */
  readonly sizes: readonly (number | undefined)[];
}

function look(root: Root, path: string, { workspace, disk }: TreePorts): Looked | WorkspaceRefusal {
  const folder = workspace.folder(root, path);
  if (isRefusal(folder)) return folder;
  try {
    return folder.use((here) => {
      const entries = entriesIn(here, disk);
      const sizes = entries.sorted.map(({ name, kind }) => {
        const relative = path === '.' ? name : `${path}/${name}`;
        if (kind !== 'file' || !workspace.isOpen(root, relative, 'read')) return undefined;
        try {
          return Number(disk.lstat(`${here}/${name}`).size);
        } catch {
          // It went away meanwhile.
          return undefined;
        }
      });
      return { entries, sizes };
    });
  } finally {
    folder.close();
  }
}

/** Says what a tree shows, in its first line. */
export function treeHead(path: string, levels: number, { files, directories, bytes }: Tree): string {
  const what = `${files} ${files === 1 ? 'file' : 'files'}, ${directories} ${directories === 1 ? 'directory' : 'directories'}, ${bytesIn(bytes)}`;
  return `Tree of ${path === '.' ? '.' : `./${shown(path)}`}, ${levels} ${levels === 1 ? 'level' : 'levels'} (${what}):`;
}
