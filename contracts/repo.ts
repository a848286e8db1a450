import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { memoryLocked } from './memory.ts';

/** A path in the mirror, from the root of the repo. */
const repoPath = z
  .string()
  .max(256)
  .regex(/^[a-zA-Z0-9/_.-]+$/);

/** Failures of reading one file of the mirror. */
export const repoReadErrors = {
  path_denied: {
    status: 403,
    message: 'That path is not open for reading.',
    suggestion: 'Use `list_repo` to see what is; the owner sets which folders are open.',
  },
  file_too_large: {
    status: 413,
    message: 'The file is larger than 1 MB.',
    suggestion: 'Read a smaller file, or read this one on a machine with `read_file`, a few lines at a time.',
  },
  not_text: {
    status: 415,
    message: 'The file is not UTF-8 text.',
    suggestion: 'Read it with `read_repo_file` and `encoding` set to `base64`.',
  },
} as const;

/** The failure while there is nothing to read. Its suggestion says how to mirror a repo. */
export const nothingMirrored = {
  status: 404,
  message: 'No repo has been mirrored yet.',
  suggestion: 'Run `bowline mirror push` in the clone, or `bowline mirror watch` to push every commit.',
} as const;

export const readRepoFile = tool({
  name: 'read_repo_file',
  title: 'Read a file of the repo',
  description:
    "Reads a file of the owner's mirrored repo, or of the memory as it is now: `.claude/memory/` with `progress_log.jsonl`, `decisions.jsonl`, `best_practices.md`. For a file on a machine, use `read_file`.",
  details: 'At most 1 MB; read a longer memory file by lines. An entry of a `.jsonl` file is a line.',
  runsOn: 'gateway',
  group: 'memory',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z
    .strictObject({
      path: repoPath.meta(told('From the root of the repo.')),
      encoding: z
        .enum(['utf-8', 'base64'])
        .default('utf-8')
        .meta(told('`base64` for a file that is not text.')),
      start_line: z.int().min(-99_999).optional().describe('-50 reads the last 50 lines.'),
      end_line: z.int().min(1).optional().meta(told('Last line to read.')),
    })
    .refine(
      ({ start_line = 1, end_line = start_line }) =>
        start_line !== 0 && (start_line < 0 || end_line >= start_line),
      { path: ['start_line'], error: '`start_line` is 0 or after `end_line`' },
    )
    .refine(
      ({ encoding, start_line, end_line }) =>
        encoding === 'utf-8' || (start_line === undefined && end_line === undefined),
      { path: ['encoding'], error: 'lines are read as text, not as `base64`' },
    ),
  output: z.strictObject({
    content: z.string().describe("The file's content, in the encoding asked for."),
    size: z.int().min(0).describe("The file's size in bytes."),
    modified: z.iso.datetime().describe('When it was last changed: the time of its last commit or entry.'),
    commit: z
      .string()
      .nullable()
      .describe('The commit the content belongs to; null for memory, which is read live.'),
    lines: z
      .strictObject({
        first: z.int().min(1).describe('The line that `content` begins with.'),
        last: z
          .int()
          .min(0)
          .describe('The line that it ends with: an earlier one than asked for if 1 MB was full.'),
        total: z.int().min(0).describe('Lines in the file.'),
      })
      .optional()
      .describe('Which lines `content` has; only if lines were asked for.'),
  }),
  errors: {
    ...repoReadErrors,
    file_not_found: {
      status: 404,
      message: 'There is no such file in the mirrored commit.',
      suggestion: 'Use `list_repo` to see the files, or push a newer commit with `bowline mirror push`.',
    },
    invalid_line_range: {
      status: 400,
      message: 'The line range does not fit the file.',
      suggestion:
        'Count lines from 1, or from the end with a negative `start_line`, and begin within the file.',
    },
    nothing_mirrored: nothingMirrored,
    memory_locked: memoryLocked,
  },
  inputErrors: { start_line: 'invalid_line_range', end_line: 'invalid_line_range' },
  examples: [
    {
      about: 'reads a text file',
      input: { path: 'paths/Advanced/tracker.md' },
      output: {
        content: '# Progress Tracker\n\n- [x] EDA notebook\n',
        size: 39,
        modified: '2026-01-09T10:00:00Z',
        commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
      },
      varies: ['modified', 'commit'],
    },
    {
      about: 'reads a file as base64',
      input: { path: 'paths/Advanced/tracker.md', encoding: 'base64' },
      output: {
        content: 'IyBQcm9ncmVzcyBUcmFja2VyCgotIFt4XSBFREEgbm90ZWJvb2sK',
        size: 39,
        modified: '2026-01-09T10:00:00Z',
        commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
      },
      varies: ['modified', 'commit'],
    },
    {
      about: 'reads the last line',
      input: { path: 'paths/Advanced/tracker.md', start_line: -1 },
      output: {
        content: '- [x] EDA notebook\n',
        size: 39,
        modified: '2026-01-09T10:00:00Z',
        commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
        lines: { first: 3, last: 3, total: 3 },
      },
      varies: ['modified', 'commit'],
    },
  ],
  cut: { fields: ['content'], rest: 'Read the rest with `start_line`.' },
  headline: ({ size, modified }) => `${size} bytes, last changed ${modified}`,
});

export const listRepo = tool({
  name: 'list_repo',
  title: 'List the files of the repo',
  description:
    "Lists the files of the owner's mirrored repo below a folder. For a folder on a machine, use `list_dir`.",
  details: 'Only readable files, at most 1,000 an answer.',
  runsOn: 'gateway',
  group: 'memory',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    path: repoPath.default('.').meta(told('The folder to list; `.` is the root of the repo.')),
    cursor: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .meta(told('Where to go on: the `next_cursor` of the answer before.', 'The last `next_cursor`.')),
  }),
  output: z.strictObject({
    commit: z.string().describe('The commit that was listed.'),
    files: z
      .array(
        z.strictObject({
          path: z.string().describe('Path from the root of the repo.'),
          size: z.int().min(0).describe('Size in bytes.'),
          note: z
            .string()
            .optional()
            .describe('What else is to be known of it, such as why it cannot be read; mostly absent.'),
        }),
      )
      .describe('The files, by path.'),
    total: z.int().min(0).describe('How many files there are in all the answers together.'),
    next_cursor: z.string().nullable().describe('What to pass as `cursor` for the rest; null at the end.'),
  }),
  errors: {
    path_denied: repoReadErrors.path_denied,
    directory_not_found: {
      status: 404,
      message: 'There is no such folder in the mirrored commit.',
      suggestion: 'List the folder above, or push a newer commit with `bowline mirror push`.',
    },
    invalid_cursor: {
      status: 400,
      message: 'The cursor does not belong to this listing, or the mirror has moved on to another commit.',
      suggestion: 'List again without a cursor.',
    },
    nothing_mirrored: nothingMirrored,
  },
  examples: [
    {
      about: 'lists a folder',
      input: { path: 'paths' },
      output: {
        commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
        files: [{ path: 'paths/Advanced/tracker.md', size: 39 }],
        total: 1,
        next_cursor: null,
      },
      varies: ['commit'],
    },
  ],
  headline: ({ total, commit }) => `${total === 1 ? '1 file' : `${total} files`} at ${commit.slice(0, 7)}`,
});
