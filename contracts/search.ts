import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { memoryLocked } from './memory.ts';
import { nothingMirrored, repoReadErrors } from './repo.ts';

// ChatGPT's deep research asks for exactly these two names and shapes, with no other field.

const id = z.string().min(1).max(512);

const url = z.url().describe('A page for people that shows it; never empty, since citations need it.');

export const searchDocuments = tool({
  name: 'search',
  title: 'Search repo and memory',
  description:
    "Searches the owner's mirrored repo and memory. Read a result with `fetch`. For files on a machine, use `grep_search`; for the web, `search_web`.",
  details: 'Returns the documents that fit best.',
  runsOn: 'gateway',
  group: 'memory',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  isJsonText: true,
  input: z.strictObject({
    query: z.string().min(1).max(1_000).meta(told('Words to search for.')),
  }),
  output: z.strictObject({
    results: z
      .array(
        z.strictObject({
          id: id.describe('What to pass to `fetch`.'),
          title: z.string().describe('The title of the document, or its path.'),
          url,
        }),
      )
      .describe('The documents, best first; empty if none fits.'),
  }),
  // The shape has no field to say why nothing was found. An empty mirror must be told, so it is an error.
  errors: { nothing_mirrored: nothingMirrored, memory_locked: memoryLocked },
  examples: [
    {
      about: 'finds a document of the repo',
      input: { query: 'progress tracker' },
      output: {
        results: [
          {
            id: 'repo:paths/Advanced/tracker.md',
            title: 'Progress Tracker',
            url: 'https://bowline.example/repo/paths/Advanced/tracker.md',
          },
        ],
      },
      varies: ['results'],
    },
  ],
  headline: ({ results }) => (results.length === 1 ? '1 document' : `${results.length} documents`),
});

export const fetchDocument = tool({
  name: 'fetch',
  title: 'Fetch a search result',
  description:
    'Gives the text of a document of the repo or memory that `search` found. For a web page, use `web_fetch`.',
  runsOn: 'gateway',
  group: 'memory',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  isJsonText: true,
  input: z.strictObject({
    id: id.meta(told('The `id` of a result of `search`.')),
  }),
  output: z.strictObject({
    id: id.describe('The same id.'),
    title: z.string().describe('The title of the document, or its path.'),
    text: z.string().describe('The whole text.'),
    url,
    metadata: z
      .strictObject({
        source: z.enum(['repo', 'memory']).describe('Where the document is kept.'),
        path: z.string().describe('Its path from the root of the repo.'),
        modified: z.iso.datetime().describe('When it was last changed.'),
        commit: z.string().nullable().describe('The commit the text belongs to; null for memory.'),
      })
      .describe('What else is known about the document.'),
  }),
  errors: {
    ...repoReadErrors,
    document_not_found: {
      status: 404,
      message: 'There is no document of that id, or no longer.',
      suggestion: 'Search again with `search` and use an id from its results.',
    },
    memory_locked: memoryLocked,
  },
  examples: [
    {
      about: 'fetches a document of the repo',
      input: { id: 'repo:paths/Advanced/tracker.md' },
      output: {
        id: 'repo:paths/Advanced/tracker.md',
        title: 'Progress Tracker',
        text: '# Progress Tracker\n\n- [x] EDA notebook\n',
        url: 'https://bowline.example/repo/paths/Advanced/tracker.md',
        metadata: {
          source: 'repo',
          path: 'paths/Advanced/tracker.md',
          modified: '2026-01-09T10:00:00Z',
          commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
        },
      },
      varies: ['url', 'metadata.modified', 'metadata.commit'],
    },
  ],
  cut: {
    fields: ['text'],
    rest: 'Search for the passage, or read the file on a machine with `read_file` and `start_line`.',
  },
  headline: ({ title }) => title,
});
