import * as z from 'zod';

export const contentShape = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  mode: z.int().min(0).max(0o777),
});

/** One change by a tool: the earlier and the later content, by hash. */
export const entryShape = z.object({
  /** The call's id, as in the ledger. */
  id: z.string(),
  /** The time in milliseconds. */
  at: z.number(),
  tool: z.string(),
  /** The group of several changes of one call. They are made, and undone, all or none. */
  group: z.string().optional(),
  /** The principal of the call. */
  principal: z.string().optional(),
  root: z.object({ name: z.string(), path: z.string() }),
  path: z.string(),
  /** A directory has no content. A tool only ever adds one. */
  kind: z.enum(['file', 'directory']),
  /** Null if nothing was there. */
  before: contentShape.nullable(),
  /** Null if nothing is there any more. */
  after: contentShape.nullable(),
  /** Folders that were made on the way, outermost first. */
  parents: z.array(z.string()),
  /** The file's temporary name while it was being written. */
  temporary: z.string().nullable(),
  /** The process that made the change. */
  pid: z.int(),
  /** The start of that process, since a later one may get its number. */
  started: z.string().nullable().optional(),
});

export type Entry = z.infer<typeof entryShape>;
export type Content = z.infer<typeof contentShape>;
