import * as z from 'zod';
import { atMostBytes } from './bytes.ts';
import { told, tool } from './contract.ts';
import { effectErrors } from './door-errors.ts';
import { effectInput } from './machine-fields.ts';

/** The failure that anybody who reads or writes the memory can meet. */
export const memoryLocked = {
  status: 503,
  message: 'The memory is locked, because its tables were changed.',
  suggestion: 'Run `bowline memory verify`; it says what was changed.',
} as const;

/** All files of the memory. */
export const MEMORY_FILES = ['progress_log.jsonl', 'decisions.jsonl', 'best_practices.md'] as const;

/** The limit of one entry as UTF-8, without the line end. */
export const MAX_ENTRY_BYTES = 10 * 1024;

const entryFields = z
  .looseObject({
    timestamp: z.iso
      .datetime({ offset: true })
      .meta(told('When it happened, such as 2026-01-09T10:30:00Z.', 'Such as 2026-01-09T10:30:00Z.')),
    type: z.string().min(1).meta(told('What kind of entry it is, such as `task_complete`.')),
  })
  .meta(told('An entry for a `.jsonl` file; other keys are kept.'));

const { $schema: _, ...entryFieldsAsJson } = z.toJSONSchema(entryFields);

// Parsing by the fields would put these first. The entry keeps its keys in the order in which they were sent.
const entryObject = z
  .record(z.string(), z.unknown())
  .superRefine((entry, context) => {
    for (const issue of entryFields.safeParse(entry, { reportInput: true }).error?.issues ?? [])
      context.addIssue({ ...issue });
  })
  .meta({ ...entryFieldsAsJson, propertyNames: undefined });

const entryText = z
  .string()
  .min(1)
  .meta(
    told(
      'Markdown for `best_practices.md`, with line breaks and code blocks; for a `.jsonl` file, one JSON object as text.',
    ),
  );

export const writeMemoryEntry = tool({
  name: 'write_memory_entry',
  title: 'Write to memory',
  description:
    "Appends an entry to the owner's memory, for good: Markdown to `best_practices.md`, an object to a `.jsonl` file. At most 10 KB. Read the memory with `read_repo_file`.",
  details:
    'Nothing changes or deletes an entry. One that is there already is not written again, unless `repeat` is true. The owner approves each call.',
  runsOn: 'gateway',
  group: 'memory',
  risk: 'safe_write',
  approval: 'ask',
  hasPreview: true,
  limits: { perMinute: 30, timeoutMs: 10_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  // These checks stand here and not in the handler, so that the owner is not asked to approve an entry
  // that would then be refused.
  input: z
    .strictObject({
      file: z.enum(MEMORY_FILES).meta(told('The memory file to append to.')),
      entry: z
        .union([entryObject, entryText])
        .superRefine(atMostBytes(MAX_ENTRY_BYTES, 'entry_too_large'))
        .meta(told('What to append.')),
      ...effectInput,
    })
    .superRefine(({ file, entry }, context) => {
      const problem = file.endsWith('.jsonl') ? problemAsJson(entry) : problemAsMarkdown(entry);
      if (problem) context.addIssue({ code: 'custom', path: ['entry'], message: problem });
    }),
  output: z.strictObject({
    success: z.boolean().describe('Whether the entry is in the file.'),
    line_number: z
      .int()
      .min(1)
      .describe(
        'The line of the entry in the file, counted from 1; an entry of Markdown counts as one, however many lines it has.',
      ),
    bytes_written: z.int().min(1).describe('Bytes the entry takes in the file, its line end included.'),
    timestamp: z.iso.datetime().describe('When it was appended.'),
    replayed: z.boolean().describe('Whether it was there before this call, so that nothing was written now.'),
  }),
  errors: {
    ...effectErrors,
    invalid_entry: {
      status: 400,
      message: 'The entry does not fit the file.',
      suggestion:
        'For a `.jsonl` file give an object with `timestamp` and `type`; for `best_practices.md` give Markdown.',
    },
    entry_too_large: {
      status: 413,
      message: 'The entry is larger than 10 KB.',
      suggestion: 'Shorten it, or write it as several entries.',
    },
    memory_locked: memoryLocked,
  },
  inputErrors: { entry: 'invalid_entry' },
  examples: [
    {
      about: 'appends an object to the progress log',
      input: {
        file: 'progress_log.jsonl',
        entry: { timestamp: '2026-01-09T10:30:00Z', type: 'task_complete', task: 'EDA notebook' },
      },
      output: {
        success: true,
        line_number: 1,
        bytes_written: 82,
        timestamp: '2026-01-09T10:30:01Z',
        replayed: false,
      },
      varies: ['line_number', 'timestamp'],
    },
    {
      about: 'appends a JSON object given as text',
      input: {
        file: 'progress_log.jsonl',
        entry: '{"timestamp":"2026-01-09T10:30:00Z","event":"task_complete","task":"EDA notebook"}',
      },
      output: {
        success: true,
        line_number: 2,
        bytes_written: 83,
        timestamp: '2026-01-09T10:30:02Z',
        replayed: false,
      },
      varies: ['line_number', 'timestamp'],
    },
    {
      about: 'appends Markdown to the best practices',
      input: { file: 'best_practices.md', entry: '- Ask for evidence before you trust a summary.' },
      output: {
        success: true,
        line_number: 1,
        bytes_written: 47,
        timestamp: '2026-01-09T10:30:03Z',
        replayed: false,
      },
      varies: ['line_number', 'timestamp'],
    },
  ],
  headline: ({ line_number, bytes_written, replayed }) =>
    replayed
      ? `Already there as line ${line_number}`
      : `Appended line ${line_number} (${bytes_written} bytes)`,
});

type Entry = z.output<typeof entryObject> | string;

function problemAsJson(entry: Entry): string | undefined {
  // JSON escapes the old line breaks inside an object, but not the two that Unicode added.
  if (hasLineBreak(typeof entry === 'string' ? entry : JSON.stringify(entry))) return LINE_BREAK;
  if (typeof entry !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(entry);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_AN_OBJECT;
    return isWellFormed(value) ? undefined : 'a string in it holds half of a surrogate pair';
  } catch {
    // Text that is not JSON gets the same error as JSON that is not an object.
    return NOT_AN_OBJECT;
  }
}

const NOT_AN_OBJECT = 'an entry for a `.jsonl` file must be one JSON object';

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

/** An entry of Markdown may have lines, paragraphs and code blocks. It is one entry all the same. */
function problemAsMarkdown(entry: Entry): string | undefined {
  if (typeof entry !== 'string') return 'an entry for a Markdown file must be text';
  return entry.trim() === '' ? 'an entry of white space alone says nothing' : undefined;
}

const LINE_BREAK = 'an entry of this file is one line; send each line as an entry of its own';

/** Finds a character that would split an entry into two lines. */
function hasLineBreak(text: string): boolean {
  return /[\n\r\u2028\u2029]/.test(text);
}
