import * as z from 'zod';

const content = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  mode: z.int().min(0).max(0o777),
});

/** One change that a tool made: what was there before and what was put there, by its hash. */
export const entryShape = z.object({
  /** The call's id, which the ledger knows it by too. */
  id: z.string(),
  /** When, in milliseconds. */
  at: z.number(),
  tool: z.string(),
  root: z.object({ name: z.string(), path: z.string() }),
  path: z.string(),
  /** A directory has no content: it was not there, and now is. */
  kind: z.enum(['file', 'directory']),
  /** Null: nothing was there. */
  before: content.nullable(),
  /** Null: nothing is there any more. */
  after: content.nullable(),
  /** Folders that were made on the way, outermost first. */
  parents: z.array(z.string()),
  /** What the file was called until it was whole. */
  temporary: z.string().nullable(),
  /** The process that made it. */
  pid: z.int(),
});

export type Entry = z.infer<typeof entryShape>;
export type Content = z.infer<typeof content>;
