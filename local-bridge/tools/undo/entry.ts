import * as z from 'zod';

const content = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  mode: z.int().min(0).max(0o777),
});

/** One change by a tool: what was there before and what it put there, by hash. */
export const entryShape = z.object({
  /** The call's id, as in the ledger. */
  id: z.string(),
  /** The time in milliseconds. */
  at: z.number(),
  tool: z.string(),
  root: z.object({ name: z.string(), path: z.string() }),
  path: z.string(),
  /** A directory has no content: it was not there, and now is. */
  kind: z.enum(['file', 'directory']),
  /** Null if nothing was there. */
  before: content.nullable(),
  /** Null if nothing is there any more. */
  after: content.nullable(),
  /** Folders that were made on the way, outermost first. */
  parents: z.array(z.string()),
  /** The file's name until it was complete. */
  temporary: z.string().nullable(),
  /** The process that made the change. */
  pid: z.int(),
});

export type Entry = z.infer<typeof entryShape>;
export type Content = z.infer<typeof content>;
