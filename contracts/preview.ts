import * as z from 'zod';
import { readsOnly, tool } from './contract.ts';

/** Time for a preview. After it, the owner is asked without one, so that they are not asked late. */
export const PREVIEW_MS = 3_000;

/** One plain sentence about what would happen. It never judges. */
const fact = z.strictObject({
  text: z.string().max(1_000),
  /** True if the fact is out of the ordinary. Such facts are shown first. */
  unusual: z.boolean(),
});

const affected = z.strictObject({
  path: z.string().max(4_096),
  change: z.enum(['create', 'change', 'delete', 'create folder']),
});

/** The effects that a call would have. The side that would run the call finds out without changing anything. */
export const previewShape = z.strictObject({
  facts: z.array(fact).max(40),
  /** `null` if nobody can know them before the call. */
  files: z.array(affected).max(200).nullable(),
  /** A unified diff of what would change. */
  diff: z.string().max(200_000).nullable(),
  /**
   * A digest of what was looked at. It must be the same when the call runs. It is `null` if what the call
   * does depends on nothing that was looked at.
   */
  state: z.string().max(128).nullable(),
  /** True if the call would run in a sandbox. Left out for tools that use none. */
  sandboxed: z.boolean().optional(),
  /**
   * True if the shell that the call types to is as it was started, so that a line means what its words say. Left out for
   * calls that type no line.
   */
  plainShell: z.boolean().optional(),
  /**
   * The lasting terminal that the call starts or types to: its name, and the call that started it, which is `null` if
   * this call does. Left out for calls about none.
   */
  lasting: z
    .strictObject({ session: z.string().max(32), startedBy: z.string().max(128).nullable() })
    .optional(),
});

export type Preview = z.output<typeof previewShape>;
export type Fact = z.output<typeof fact>;

/** Asks a machine what a call would do while the call waits for the owner. Only the gateway uses it. */
export const machinePreview = tool({
  name: 'preview',
  title: 'Preview a call',
  description: 'Says what a prepared call would do, and changes nothing.',
  runsOn: 'machine',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 600, timeoutMs: PREVIEW_MS },
  hints: readsOnly,
  input: z.strictObject({
    text: z.string().describe('The call as it was prepared.'),
    digest: z.string().describe('The SHA-256 of that text.'),
  }),
  output: z.strictObject({
    preview: previewShape.nullable().describe('What the call would do; null if it would be refused.'),
    refused: z
      .strictObject({ code: z.string(), message: z.string(), suggestion: z.string() })
      .nullable()
      .describe('How the call would end without doing anything.'),
  }),
  errors: {
    no_preview: {
      status: 404,
      message: 'This machine gives no preview of that tool.',
      suggestion: 'Decide by the arguments.',
    },
  },
  examples: [
    {
      about: 'looks at a new file',
      input: { text: '{}', digest: '0'.repeat(64) },
      output: {
        preview: {
          facts: [],
          files: [{ path: 'hello.py', change: 'create' }],
          diff: null,
          state: null,
        },
        refused: null,
      },
    },
  ],
});
