import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { posix } from 'node:path';
import type { Root } from '../workspace/held.ts';
import { namesIn } from '../workspace/path-rules.ts';
import { isRefusal } from '../workspace/refusal.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';

/**
 * Checks again what ripgrep found, through folders that are held open. During a search, somebody may swap a folder
 * for a link, so only what was seen below the root a second time is shown.
 */
interface FoundFiles {
  /** Tells whether a path from the root is a file there, without any link on the way. */
  isFile(path: string): boolean;
  /** Reads the beginning of a file's text from `start` on; `undefined` if it may not be read. */
  read(path: string, start: number, bytes: number): Buffer | undefined;
  close(): void;
}

/** Ripgrep prints related paths one after the other, so few folders need to be open at once. */
const MAX_FOLDERS = 32;
/** The largest UTF-16 text to decode. It is decoded whole or not at all. */
const MAX_DECODED = 10 * 1024 * 1024;

export function lookAgain(root: Root, workspace: Workspace): FoundFiles {
  const folders = new Map<string, Folder | undefined>();
  let open: Text | undefined;

  const folderOf = (path: string): Folder | undefined => {
    const name = posix.dirname(path);
    if (folders.has(name)) return folders.get(name);
    const [oldest] = folders.keys();
    if (oldest !== undefined && folders.size >= MAX_FOLDERS) {
      folders.get(oldest)?.close();
      folders.delete(oldest);
    }
    const folder = workspace.folder(root, name);
    folders.set(name, isRefusal(folder) ? undefined : folder);
    return folders.get(name);
  };
  const fileAt = (path: string): Text => {
    if (open?.path === path) return open;
    open?.close();
    const name = posix.basename(path);
    const fd = isRefusal(namesIn(path))
      ? undefined
      : folderOf(path)?.use((here) => openRegular(`${here}/${name}`));
    open = fd === undefined ? { path, read: () => undefined, close: () => undefined } : textIn(path, fd);
    return open;
  };
  return {
    isFile: (path) =>
      folderOf(path)?.use(
        (here) => lstatSync(`${here}/${posix.basename(path)}`, { throwIfNoEntry: false })?.isFile() === true,
      ) === true,
    read: (path, start, bytes) => fileAt(path).read(start, bytes),
    close: () => {
      open?.close();
      for (const folder of folders.values()) folder?.close();
      folders.clear();
    },
  };
}

/** A file's text, addressed by the offsets that ripgrep prints. */
interface Text {
  readonly path: string;
  read(start: number, bytes: number): Buffer | undefined;
  close(): void;
}

/** Opens a regular file with one name. Another name of it could be a closed one. */
function openRegular(path: string): number | undefined {
  // Opening a device can have effects, so first look what it is, and check again once it is open.
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (!before?.isFile() || before.nlink > 1) return undefined;
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // The file is gone, closed to us, or a link by now, so do not show it.
    return undefined;
  }
  const stat = fstatSync(fd);
  if (stat.isFile() && stat.nlink === 1) return fd;
  closeSync(fd);
  return undefined;
}

function textIn(path: string, fd: number): Text {
  const start = readAt(fd, 0, READ_AHEAD);
  const head = start.subarray(0, 3);
  const wide = wideText(fd, head);
  const close = () => closeSync(fd);
  // Ripgrep counts from after the byte order mark, in the UTF-8 text that it made from UTF-16.
  if (wide) return { path, read: (start, bytes) => wide.subarray(start, start + bytes), close };
  const mark = head.equals(UTF8_MARK) ? 3 : 0;
  return {
    path,
    read: (from, bytes) => {
      const [first, end] = [from + mark, from + mark + bytes];
      return end <= start.length ? start.subarray(first, end) : readAt(fd, first, bytes);
    },
    close,
  };
}

/** Reads this much at once: most files are shorter, and many have several lines to show. */
const READ_AHEAD = 16 * 1024;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Gives a UTF-16 text as UTF-8; empty if it is too long, `undefined` if it is not UTF-16. */
function wideText(fd: number, head: Buffer): Buffer | undefined {
  const isLittle = head[0] === 0xff && head[1] === 0xfe;
  if (!isLittle && !(head[0] === 0xfe && head[1] === 0xff)) return undefined;
  const { size } = fstatSync(fd);
  if (size > MAX_DECODED) return Buffer.alloc(0);
  return Buffer.from(new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(readAt(fd, 0, size)));
}

function readAt(fd: number, start: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  return buffer.subarray(0, readSync(fd, buffer, 0, bytes, start));
}
