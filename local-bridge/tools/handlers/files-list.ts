import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import * as z from 'zod';
import type { Disk } from '../workspace/disk.ts';
import { shown } from '../workspace/path-rules.ts';

/** An entry of a directory, as it is listed. */
export interface Listed {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'special' | 'directory';
}

export interface Entries {
  /** First files, links and special files by name, then directories by name. */
  readonly sorted: readonly Listed[];
  readonly files: number;
  readonly directories: number;
}

/** Lists everything in a directory. */
export function entriesIn(here: string, disk: Disk): Entries {
  const sorted = disk.list(here).map((entry): Listed => ({ name: entry.name, kind: kindOf(entry) }));
  sorted.sort(compare);
  return {
    sorted,
    files: sorted.filter(({ kind }) => kind === 'file').length,
    directories: sorted.filter(({ kind }) => kind === 'directory').length,
  };
}

function kindOf(entry: Dirent): Listed['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'special';
}

type Key = Pick<Listed, 'name' | 'kind'>;

function compare(one: Key, other: Key): number {
  const group = Number(one.kind === 'directory') - Number(other.kind === 'directory');
  return group || (one.name < other.name ? -1 : Number(one.name > other.name));
}

/** Writes an entry's line. Strangers choose names, so this escapes characters that would break the line. */
export function entryLine({ name, kind }: Listed): string {
  const tail = { file: '', directory: '/', link: ' (link)', special: ' (special file)' }[kind];
  return `  ${shown(name)}${tail}\n`;
}

const cursorShape = z.tuple([z.string(), z.boolean(), z.string()]);

/** Makes a cursor for a page's end. It works only in the same directory, even if entries come or go. */
export function cursorFor({ name, kind }: Listed, place: string): string {
  // A name has at most 255 bytes, but it grows if it is not UTF-8 or has to be escaped.
  const kept = Buffer.byteLength(JSON.stringify(name)) > MAX_KEPT ? name.slice(0, MAX_KEPT / 6) : name;
  return Buffer.from(JSON.stringify([markOf(place), kind === 'directory', kept])).toString('base64url');
}

const MAX_KEPT = 300;

/** Gives the entries after a cursor, or nothing if the cursor is not of this directory. */
export function pageFrom(
  sorted: readonly Listed[],
  cursor: string | undefined,
  place: string,
  limit: number,
):
  | { readonly shown: readonly Listed[]; readonly before: number; readonly last: Listed | undefined }
  | undefined {
  const after = cursor === undefined ? undefined : keyIn(cursor, place);
  if (cursor !== undefined && !after) return undefined;
  const found = after ? sorted.findIndex((entry) => compare(entry, after) > 0) : 0;
  const before = found < 0 ? sorted.length : found;
  const page = sorted.slice(before, before + limit);
  return { shown: page, before, last: before + page.length < sorted.length ? page.at(-1) : undefined };
}

function keyIn(cursor: string, place: string): Key | undefined {
  let written: unknown;
  try {
    written = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const parsed = cursorShape.safeParse(written);
  if (!parsed.success || parsed.data[0] !== markOf(place)) return undefined;
  return { name: parsed.data[2], kind: parsed.data[1] ? 'directory' : 'file' };
}

function markOf(place: string): string {
  return createHash('sha256').update(place).digest('base64url').slice(0, 16);
}
