import { MEMORY_FILES } from '../../contracts/memory.ts';
import type { fetchDocument, searchDocuments } from '../../contracts/search.ts';
import { ftsQueries } from '../core/fts-query.ts';
import { utf8Text } from '../core/git-blob.ts';
import type { Call, Handler } from '../core/handler.ts';
import { MEMORY_FOLDER } from '../core/path-policy.ts';
import { lockedBecause } from '../memory/memory-failures.ts';
import { MAX_MEMORY_READ_BYTES, type Memory } from '../memory/memory-port.ts';
import { memoryPage, repoPage } from '../mirror/console-links.ts';
import { titleOf } from '../mirror/index-text.ts';
import type { Mirror } from '../mirror/mirror-port.ts';
import { readMirrored } from '../mirror/read-file.ts';

export interface SearchPorts {
  readonly memory: Memory;
  readonly mirror: Mirror;
  /** The gateway's own origin, where the console is. */
  readonly origin: string;
}

const RESULTS = 20;
const TITLE_CHARS = 100;
const MAX_ID_CHARS = 512;

interface Result {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** Searches the mirrored repo and the memory. Their ranks have different scales, so their results take turns. */
export const searchRepoAndMemory: Handler<typeof searchDocuments, SearchPorts> = async (
  { query },
  call,
  { memory, mirror, origin },
) => {
  const queries = ftsQueries(query);
  if (!queries) return call.ok({ results: [] });
  const [docs, lines] = await Promise.all([
    mirror.stub().search(queries, RESULTS),
    memory.stub().search(queries, RESULTS),
  ]);
  if ('locked' in lines) return call.fail('memory_locked', lockedBecause(lines.locked));
  if (!docs && lines.length === 0) return call.fail('nothing_mirrored');
  const fromRepo: Result[] = (docs ?? [])
    .map(({ path, title }) => ({ id: `repo:${path}`, title, url: repoPage(origin, path) }))
    .filter(({ id }) => id.length <= MAX_ID_CHARS);
  const fromMemory: Result[] = lines.map(({ file, line, body }) => ({
    id: `memory:${file}#${line}`,
    title: titleOfLine(file, line, body),
    url: memoryPage(origin, file, line),
  }));
  return call.ok({ results: inTurns(fromRepo, fromMemory).slice(0, RESULTS) });
};

/** Fetches what `search` found: a file of the repo, a line of the memory, or a whole file of the memory. */
export const fetchFound: Handler<typeof fetchDocument, SearchPorts> = async ({ id }, call, ports) => {
  const named = /^memory:([^#]+)(?:#([1-9]\d{0,14}))?$/.exec(id);
  const file = MEMORY_FILES.find((known) => known === named?.[1]);
  if (named && file) return fetchMemory(id, file, named[2], call, ports);
  if (id.startsWith('repo:')) return fetchRepo(id, call, ports);
  return call.fail('document_not_found');
};

type FetchCall = Call<typeof fetchDocument>;

async function fetchRepo(id: string, call: FetchCall, { mirror, origin }: SearchPorts) {
  const path = id.slice('repo:'.length);
  const read = await readMirrored(mirror, path);
  if (read.kind === 'refused') {
    const { code, detail } = read;
    const isMissing = code === 'nothing_mirrored' || code === 'file_not_found';
    return call.fail(isMissing ? 'document_not_found' : code, detail);
  }
  const text = utf8Text(read.bytes);
  if (text === undefined) return call.fail('not_text', `${path} is not UTF-8 text.`);
  const modified = new Date(read.modified).toISOString();
  return call.ok({
    id,
    title: titleOf(path, text),
    text,
    url: repoPage(origin, path),
    metadata: { source: 'repo', path, modified, commit: read.commit },
  });
}

async function fetchMemory(
  id: string,
  file: string,
  line: string | undefined,
  call: FetchCall,
  { memory, origin }: SearchPorts,
) {
  const nth = line === undefined ? undefined : Number(line);
  const read =
    nth === undefined
      ? await memory.stub().read(file, MAX_MEMORY_READ_BYTES)
      : await memory.stub().line(file, nth);
  if (!read) return call.fail('document_not_found');
  if ('locked' in read) return call.fail('memory_locked', lockedBecause(read.locked));
  const text = 'body' in read ? read.body : read.content;
  if (text === null) {
    const suggestion = 'Search for the line and fetch that, or read a range of lines with `read_repo_file`.';
    return call.fail('file_too_large', { message: `${file} is more than 1 MB.`, suggestion });
  }
  return call.ok({
    id,
    title: nth === undefined ? file : titleOfLine(file, nth, text),
    text,
    url: memoryPage(origin, file, nth),
    metadata: {
      source: 'memory',
      path: MEMORY_FOLDER + file,
      modified: new Date('at' in read ? read.at : read.modified).toISOString(),
      commit: null,
    },
  });
}

function titleOfLine(file: string, line: number, body: string): string {
  const [first = ''] = body.split('\n', 1);
  const start =
    first === body && body.length <= TITLE_CHARS ? body : `${first.slice(0, TITLE_CHARS).toWellFormed()}…`;
  return `${file}, line ${line}: ${start}`;
}

function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const longer = one.length > other.length ? one : other;
  return longer.flatMap((_, i) => [one[i], other[i]].filter((item) => item !== undefined));
}
