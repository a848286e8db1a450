import { Hono } from 'hono';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import { ftsQueries } from '../../core/fts-query.ts';
import { page } from '../../http/respond.ts';
import { lockedFailure } from '../../memory/memory-failures.ts';
import type { Memory } from '../../memory/memory-port.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { forOwner, notThere } from '../access/owner-page.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { Heading } from '../parts/parts.tsx';
import { Chain, Files, Hits, SearchForm, Timeline } from './memory-views.tsx';

const ENTRIES_A_PAGE = 25;
const HITS = 30;
const MAX_QUERY_CHARS = 200;
/** The number of entries to show after the requested one, so that it does not stand alone. */
const AFTER_ASKED = 5;

interface Ports {
  readonly auth: AuthPorts;
  readonly memory: Memory;
}

/** Serves the memory to its owner: files, timeline, search, and the state of the chain. */
export function memoryPages({ auth, memory }: Ports): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);

  app.get('/memory', (c) =>
    asOwner(c, async (visit) => {
      const query = (c.req.query('q') ?? '').slice(0, MAX_QUERY_CHARS).toWellFormed();
      const before = numberIn(c.req.query('before'));
      return showAll(visit, query, before);
    }),
  );
  app.get('/memory/log.jsonl', (c) => asOwner(c, () => download('log.jsonl', logOf(memory))));
  app.get('/memory/checkpoints.json', (c) =>
    asOwner(c, async () => {
      const signed = {
        checkpoints: await memory.stub().checkpoints(),
        key: (await memory.publicKey()) ?? null,
      };
      return download('checkpoints.json', `${JSON.stringify(signed, null, 2)}\n`);
    }),
  );
  app.get('/memory/:file', (c) =>
    asOwner(c, async (visit) => {
      const file = MEMORY_FILES.find((known) => known === c.req.param('file'));
      if (!file) return noSuchFile(visit);
      const line = numberIn(c.req.query('line'));
      const before = line === null ? numberIn(c.req.query('before')) : line + 1 + AFTER_ASKED;
      return showFile(visit, file, line, before);
    }),
  );
  return app;

  async function showAll(visit: OwnerVisit, query: string, before: number | null) {
    const overview = await memory.stub().overview();
    const queries = ftsQueries(query);
    const isSearch = query.trim() !== '';
    const found = isSearch ? (queries ? await memory.stub().search(queries, HITS) : []) : undefined;
    const timeline = isSearch
      ? undefined
      : await memory.stub().timeline({ file: null, before }, ENTRIES_A_PAGE);
    return page(
      <Page title="Memory" csrf={visit.csrf}>
        <Heading title="Memory">
          What models wrote, with your approval. Entries can be added, but not changed or removed.
        </Heading>
        <Locked because={overview.locked} />
        {overview.locked === null ? <SearchForm query={query} /> : null}
        {found && !('locked' in found) ? <Hits query={query} hits={found} /> : null}
        {overview.locked === null && !isSearch ? <Files files={overview.files} /> : null}
        {timeline && !('locked' in timeline) ? (
          <Timeline page={timeline} file={null} line={null} before={before} />
        ) : null}
        {isSearch ? null : <Chain {...overview} />}
      </Page>,
    );
  }

  async function showFile(visit: OwnerVisit, file: string, line: number | null, before: number | null) {
    const timeline = await memory.stub().timeline({ file, before }, ENTRIES_A_PAGE);
    const isLocked = 'locked' in timeline;
    const isMissing = line !== null && !isLocked && !timeline.entries.some((entry) => entry.line === line);
    return page(
      <Page title={file} within="Memory" csrf={visit.csrf}>
        <nav class="crumbs" aria-label="Where this is">
          <a href="/memory">Memory</a>
        </nav>
        <Heading title={file} />
        <Locked because={isLocked ? timeline.locked : null} />
        {isMissing ? <Problem message={`${file} has no line ${line}.`} /> : null}
        {isLocked ? null : <Timeline page={timeline} file={file} line={line} before={before} />}
      </Page>,
      { status: isMissing ? 404 : 200 },
    );
  }
}

function Locked({ because }: { readonly because: string | null }) {
  if (because === null) return null;
  const { message, suggestion } = lockedFailure(because);
  return <Problem message={message} suggestion={suggestion} />;
}

function noSuchFile(visit: OwnerVisit) {
  return notThere(visit, {
    title: 'No such file',
    within: 'Memory',
    children: (
      <>
        The memory has no file of that name. <a href="/memory">See its files</a>.
      </>
    ),
  });
}

/**
 * Streams the whole log as `bowline memory export` writes it, page by page, so that its length does not
 * matter.
 */
function logOf(memory: Memory): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after = 0;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { entries } = await memory.stub().export(after, CHARS_A_PULL);
      const last = entries.at(-1);
      if (!last) return controller.close();
      after = last.seq;
      controller.enqueue(encoder.encode(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
    },
  });
}

const CHARS_A_PULL = 500_000;

function download(name: string, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    headers: {
      // Never show this as a page, because models wrote its content.
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  });
}

/** Reads a whole number from 1 on. Gives null for anything else. */
function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
