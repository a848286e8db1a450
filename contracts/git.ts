import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { envelope, firstLine, pathErrors, pathField, rootInput } from './machine-fields.ts';

/**
 * Names a commit by its id, branch or tag, or by steps from one (`HEAD~2`). Refuses what git would read as an option
 * or a search.
 */
const revision = z
  .string()
  .max(256)
  .regex(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no program can get a NUL, and no name has another.
    /^(?!-)(?!.*\.\.)(?!.*\^\{\/)[^\u0000-\u0020\u007f:?*[\\]+$/,
    'must be a commit id, a branch or a tag',
  );

const commit = z.strictObject({
  id: z.string().describe('Its whole id.'),
  parents: z.array(z.string()).describe('The ids of the commits before it.'),
  author: z.string().describe('Who wrote it.'),
  date: z.string().describe('When it was written.'),
  subject: z.string().describe('The first line of its message.'),
  refs: z.array(z.string()).describe('Branches and tags that name it.'),
});

export const gitRead = tool({
  name: 'git_read',
  title: 'Read git',
  description:
    'Reads a git repository on a machine. `diff` compares `base` with `ref`, or with the files as they are.',
  details:
    'The repository lies in an open folder. It has more than the mirror. Closed files are left out, and secrets hidden.',
  runsOn: 'machine',
  group: 'git',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 35_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['files', 'commits'],
  input: z
    .strictObject({
      what: z.enum(['status', 'diff', 'log', 'blame', 'show']).meta(told('What to read.')),
      path: pathField.default('.').meta(told('A file or folder, in a repository.')),
      ref: revision.optional().meta(told('A commit, branch or tag; default: HEAD.', 'Default: HEAD.')),
      base: revision.optional().meta(told('A commit to compare with; default: HEAD.', 'Default: HEAD.')),
      staged: z.boolean().default(false).meta(told('Compare with what is staged.')),
      limit: z.int().min(1).max(200).default(20).meta(told('Commits to list.')),
      skip: z.int().min(0).max(1_000_000).default(0).meta(told('Commits to pass over.')),
      start_line: z.int().min(1).optional().meta(told('First line to blame.', 'For `blame`.')),
      end_line: z.int().min(1).optional().meta(told('Last line; at most 500 are shown.')),
      ...rootInput,
    })
    .refine(({ start_line = 1, end_line = start_line }) => end_line >= start_line, {
      path: ['end_line'],
      error: '`end_line` is before `start_line`',
    }),
  output: envelope({
    repository: z.string().describe('The folder of the repository, from the open folder.'),
    head: z.string().nullable().describe('The id of the current commit; null if there is none yet.'),
    branch: z.string().nullable().describe('The current branch; null if there is none.'),
    upstream: z.string().optional().describe('The branch that it follows.'),
    ahead: z.int().optional().describe('Commits that the upstream lacks.'),
    behind: z.int().optional().describe('Commits that only the upstream has.'),
    files: z
      .array(
        z.strictObject({
          path: z.string().describe('From the open folder.'),
          from: z.string().optional().describe('Where it was before.'),
          change: z
            .enum(['added', 'modified', 'deleted', 'renamed', 'type_changed', 'unmerged', 'untracked'])
            .describe('What happened to it.'),
          staged: z.boolean().optional().describe('For `status`: whether all of that is staged.'),
        }),
      )
      .optional()
      .describe('What changed; at most 300.'),
    commits: z.array(commit).optional().describe('The commits of `log`, newest first, or the one of `show`.'),
    lines: z.int().optional().describe('For `blame`: how many lines the file has.'),
    closed_files: z.int().optional().describe('Changed files that are closed to tools, and left out.'),
    truncated: z.boolean().describe('Whether there is more than is shown.'),
  }),
  errors: {
    ...pathErrors,
    not_a_repository: {
      status: 404,
      message: 'There is no git repository around this path, within the open folder.',
      suggestion: 'Name a path inside a repository, or look for one with `list_dir`.',
    },
    repository_refused: {
      status: 403,
      message: 'Parts of this repository lie outside of the open folders, or behind links.',
      suggestion: 'Ask the owner to open the whole repository, or to clone it without shared parts.',
    },
    unknown_ref: {
      status: 404,
      message: 'The repository has no such commit, branch or tag.',
      suggestion: 'Use a commit id or a branch that `log` shows.',
    },
    path_not_in_commit: {
      status: 404,
      message: 'The commit has no file of that name.',
      suggestion: 'Use `log` with this path to see which commits have it.',
    },
    invalid_line_range: {
      status: 400,
      message: 'The line range does not fit the file.',
      suggestion: 'Count lines from 1, begin within the file, and end where you begin or later.',
    },
    git_failed: {
      status: 422,
      message: 'Git could not read this repository.',
      suggestion: 'See on the machine what `git fsck` says of it.',
    },
    git_missing: {
      status: 503,
      message: 'Git is not installed on this machine.',
      suggestion: 'Ask the owner to install git.',
    },
  },
  inputErrors: { start_line: 'invalid_line_range', end_line: 'invalid_line_range' },
  examples: [
    {
      about: 'says what is not committed',
      input: { what: 'status', path: 'paths' },
      output: {
        success: true,
        output: 'On branch main: nothing changed in paths\n',
        files_affected: [],
        execution_time_ms: 30,
        metadata: {
          repository: '.',
          head: '1f7a7a472abf3dd9643fd615f6da379c4acb3e3a',
          branch: 'main',
          files: [],
          truncated: false,
        },
      },
      varies: ['execution_time_ms', 'metadata.head'],
    },
  ],
  cut: { fields: ['output'], rest: 'Ask for less: a narrower `path`, a smaller `limit`, or one file.' },
  headline: firstLine,
});
