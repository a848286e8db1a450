import { readRepoFile } from '../../contracts/repo.ts';
import { type Failure, failureOf } from '../core/failure.ts';
import { textOf } from '../core/git-blob.ts';
import { isReadable, MEMORY_FOLDER } from '../core/path-policy.ts';
import type { ResourceSource } from '../surfaces/mcp-offers.ts';
import { repoUri } from './console-links.ts';
import type { Mirror } from './mirror-port.ts';
import { readMirrored } from './read-file.ts';

const PREFIX = 'repo://';
const FILES_A_PAGE = 200;
const MAX_COMPLETIONS = 100;

/** The mirrored files as MCP resources: `repo://docs/plan.md`. */
export function mirrorResources(mirror: Mirror): ResourceSource {
  return {
    prefix: PREFIX,
    templates: [
      {
        uriTemplate: `${PREFIX}{+path}`,
        name: 'repo-file',
        title: 'A file of the repo',
        description: "A file of the owner's repo, as last mirrored.",
        complete: { path: (typed) => mirror.stub().pathsFrom(typed, MAX_COMPLETIONS) },
      },
    ],
    list: async (cursor = '') => {
      const listing = await mirror.stub().list('', cursor, FILES_A_PAGE);
      if (!listing) return { resources: [] };
      const { files, more, open } = listing;
      const last = files.at(-1)?.path;
      return {
        resources: files
          .filter(({ path, mode }) => mode.startsWith('100') && isReadable(path, { open }))
          .map(({ path, size }) => ({
            uri: repoUri(path),
            name: path,
            size,
            mimeType: mimeOf(path),
          })),
        ...(more && last !== undefined ? { nextCursor: last } : {}),
      };
    },
    read: async (uri) => {
      const path = pathIn(uri);
      // The memory has an address of its own, and what a repo keeps in its place is not mirrored.
      if (path === undefined || path.startsWith(MEMORY_FOLDER)) return undefined;
      const read = await readMirrored(mirror, path);
      if (read.kind === 'refused')
        return read.code === 'file_not_found' && read.detail.suggestion === undefined
          ? undefined
          : { kind: 'failed', failure: failureFor(read.code, read.detail) };
      const text = textOf(read.bytes);
      const mimeType = mimeOf(path);
      return [
        text === undefined
          ? { uri, mimeType, blob: Buffer.from(read.bytes).toString('base64') }
          : { uri, mimeType, text },
      ];
    },
  };
}

function failureFor(
  code: 'path_denied' | 'nothing_mirrored' | 'file_not_found' | 'file_too_large',
  detail: { readonly message?: string; readonly suggestion?: string },
): Failure {
  return failureOf(code, readRepoFile.errors[code], detail);
}

function pathIn(uri: string): string | undefined {
  try {
    return decodeURIComponent(uri.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  json: 'application/json',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
};

function mimeOf(path: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? '') : 'text/plain';
}
