import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import {
  directoryNotFound,
  envelope,
  firstLine,
  invalidGlob,
  notADirectory,
  pathErrors,
  pathField,
  rootInput,
} from './machine-fields.ts';

export const fileSearch = tool({
  name: 'file_search',
  title: 'Find files by name',
  description:
    'Finds files on a machine by a glob pattern, such as `**/*.py`. Ignored files (`.gitignore`) are left out.',
  details:
    'A pattern without `/` matches names at any depth. Links and closed paths are left out as well. Looks 20 levels deep and shows at most 1,000 files.',
  runsOn: 'machine',
  group: 'files',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 35_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['pattern'],
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(1_024)
      .meta(told("Glob pattern, relative to `base_path`, such as '**/*.py' or 'src/**/*.go'.")),
    base_path: pathField.default('.').meta(told('Relative path of the directory to search below.')),
    ...rootInput,
  }),
  output: envelope({
    matches: z.int().min(0).describe('How many files match.'),
    pattern: z.string().describe('The pattern that was searched for.'),
    files_returned: z.int().min(0).max(1_000).describe('How many of them are in `output`.'),
    truncated: z.boolean().describe('Whether there are more than are shown.'),
  }),
  errors: {
    ...pathErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    invalid_glob: invalidGlob,
  },
  examples: [
    {
      about: 'finds files of one kind',
      input: { pattern: '**/*.py', base_path: 'src' },
      output: {
        success: true,
        output: "Found 3 files matching '**/*.py':\n  src/app.py\n  src/models/user.py\n  src/utils.py\n",
        files_affected: [],
        execution_time_ms: 15,
        metadata: { matches: 3, pattern: '**/*.py', files_returned: 3, truncated: false },
      },
      varies: ['execution_time_ms'],
    },
  ],
  cut: { fields: ['output'], rest: 'Search again with a narrower `pattern` or a deeper `base_path`.' },
  headline: firstLine,
});

export const grepSearch = tool({
  name: 'grep_search',
  title: 'Search in files',
  description:
    'Searches the text of files on a machine. For the mirrored repo and the memory, use `search`. Ignored files are skipped.',
  details:
    'The pattern is plain text, or a regular expression without look-around or back-references. Binary files and files over 50 MB are skipped as well. Stops after 30 seconds with what it has.',
  runsOn: 'machine',
  group: 'files',
  risk: 'read_only',
  approval: 'never',
  // Longer than the search's own 30 s, so that partial results still arrive.
  limits: { perMinute: 100, timeoutMs: 35_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['pattern'],
  input: z.strictObject({
    pattern: z.string().min(1).max(4_096).meta(told('Text, or a regular expression, to search for.')),
    is_regex: z.boolean().default(false).meta(told('Whether `pattern` is a regular expression.')),
    file_pattern: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .meta(told("Glob pattern of the files, such as '*.py'.", 'Such as `*.py`.')),
    max_results: z.int().min(1).max(1_000).default(100).meta(told('Most lines to show.')),
    base_path: pathField.optional().meta(told('Directory to search.')),
    ignore_case: z.boolean().optional().meta(told('Whether case is ignored.')),
    context_lines: z.int().min(0).max(10).optional().meta(told('Lines around each match.')),
    ...rootInput,
  }),
  output: envelope({
    total_matches: z
      .int()
      .min(0)
      .describe('Matching lines found; when `truncated`, those found before the search stopped.'),
    files_searched: z
      .int()
      .min(0)
      .describe('How many files were searched; when `truncated`, at least so many.'),
    pattern: z.string().describe('The pattern that was searched for.'),
    truncated: z.boolean().describe('Whether the search stopped at `max_results` or ran out of time.'),
    timed_out: z.boolean().describe('Whether it ran out of time.'),
  }),
  errors: {
    ...pathErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    invalid_regex: {
      status: 400,
      message: 'The regular expression is not valid.',
      suggestion: 'Close every group and bracket, and do without look-around and back-references.',
    },
    invalid_pattern: {
      status: 400,
      message: 'The text has a line break in it, and lines are searched one by one.',
      suggestion: 'Search for a part of it that stands on one line.',
    },
    invalid_glob: invalidGlob,
  },
  examples: [
    {
      about: 'finds a word',
      input: { pattern: 'TODO', file_pattern: 'hello.py' },
      output: {
        success: true,
        output: "Found 1 match for 'TODO':\n  hello.py:1: # TODO: greet more than one person\n",
        files_affected: [],
        execution_time_ms: 25,
        metadata: {
          total_matches: 1,
          files_searched: 1,
          pattern: 'TODO',
          truncated: false,
          timed_out: false,
        },
      },
      varies: ['execution_time_ms'],
    },
    {
      about: 'finds a word in any case, with the line after it',
      input: { pattern: 'todo', file_pattern: 'hello.py', ignore_case: true, context_lines: 1 },
      output: {
        success: true,
        output:
          "Found 1 match for 'todo':\n  hello.py:1: # TODO: greet more than one person\n  hello.py-2- print('Hello, World!')\n",
        files_affected: [],
        execution_time_ms: 25,
        metadata: {
          total_matches: 1,
          files_searched: 1,
          pattern: 'todo',
          truncated: false,
          timed_out: false,
        },
      },
      varies: ['execution_time_ms'],
    },
    {
      about: 'finds what a regular expression describes',
      input: { pattern: 'print\\(.+\\)', is_regex: true, file_pattern: 'hello.py' },
      output: {
        success: true,
        output: "Found 1 match for 'print\\(.+\\)':\n  hello.py:2: print('Hello, World!')\n",
        files_affected: [],
        execution_time_ms: 25,
        metadata: {
          total_matches: 1,
          files_searched: 1,
          pattern: 'print\\(.+\\)',
          truncated: false,
          timed_out: false,
        },
      },
      varies: ['execution_time_ms'],
    },
  ],
  cut: { fields: ['output'], rest: 'Search again with a narrower `file_pattern` or fewer `max_results`.' },
  headline: firstLine,
});
