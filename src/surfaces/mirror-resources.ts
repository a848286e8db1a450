import type * as z from 'zod';
import type { listRepo, readRepoFile } from '../../contracts/repo.ts';
import type { Caller, Result } from '../core/call.ts';
import { utf8Text } from '../core/git-blob.ts';
import { UNTRUSTED } from '../core/invoke.ts';
import { isMemoryFile } from '../core/path-policy.ts';
import type { Tool } from '../core/tools.ts';
import { repoUri } from '../mirror/console-links.ts';
import { isEntered } from '../mirror/read-file.ts';
import type { ResourceSource } from './mcp-offers.ts';

const PREFIX = 'repo://';

/** The tools that read resources. What they refuse, no address opens. */
export interface ResourceTools {
  readonly read: Tool;
  readonly list: Tool;
  readonly starting: Tool;
}

/** Offers the mirrored files as MCP resources: `repo://docs/plan.md`. */
export function mirrorResources({ read, list, starting }: ResourceTools): ResourceSource {
  return {
    prefix: PREFIX,
    templates: [
      {
        uriTemplate: `${PREFIX}{+path}`,
        name: 'repo-file',
        title: 'A file of the repo',
        description: "A file of the owner's repo, as last mirrored.",
        complete: {
          path: async (typed, _, caller) => {
            // A rule about listing judges the folder.
            const path = typed.includes('/') ? typed.slice(0, typed.lastIndexOf('/')) || '.' : '.';
            const result = await starting.call({ path, starting: typed }, caller);
            return result.kind === 'ok' ? (result.output as { paths: string[] }).paths : result;
          },
        },
      },
    ],
    list: async (cursor, caller) => {
      const result = await list.call(
        { path: '.', ...(cursor === undefined ? {} : { cursor }) },
        whole(caller),
      );
      if (result.kind === 'failed' && result.failure.code === 'nothing_mirrored') return { resources: [] };
      if (result.kind !== 'ok') return result;
      const { files, next_cursor } = result.output as z.output<typeof listRepo.output>;
      return {
        resources: files
          .filter(isEntered)
          .map(({ path, size }) => ({ uri: repoUri(path), name: path, size, mimeType: mimeOf(path) })),
        ...(next_cursor === null ? {} : { nextCursor: next_cursor }),
      };
    },
    read: async (uri, caller) => {
      const path = pathIn(uri);
      // The memory's files have addresses of their own: `memory://`.
      if (path === undefined || isMemoryFile(path)) return undefined;
      const answer = await readBytes(read, path, caller);
      if ('kind' in answer) return answer;
      const text = utf8Text(answer.bytes);
      const mimeType = mimeOf(path);
      return [
        text === undefined
          ? { uri, mimeType, blob: Buffer.from(answer.bytes).toString('base64'), _meta: MARK }
          : { uri, mimeType, text, _meta: MARK },
      ];
    },
  };
}

/** The mark of what others wrote, as an answer of a tool carries it. */
const MARK = { 'dev.bowline/untrusted': UNTRUSTED };

/** Reads a whole file with the tool, because a part of it would be another file. */
export async function readBytes(
  read: Tool,
  path: string,
  caller: Caller,
): Promise<{ readonly bytes: Uint8Array } | Exclude<Result, { kind: 'ok' }>> {
  const result = await read.call({ path, encoding: 'base64' }, whole(caller));
  if (result.kind !== 'ok') return result;
  const { content } = result.output as z.output<typeof readRepoFile.output>;
  return { bytes: Buffer.from(content, 'base64') };
}

function whole({ maxResultChars: _, ...caller }: Caller): Caller {
  return caller;
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
