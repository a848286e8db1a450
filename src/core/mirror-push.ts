import * as z from 'zod';
import { MODES, SHA } from './git-blob.ts';
import { objectionToPattern } from './path-policy.ts';

// What `bowline mirror` and the gateway say to each other: `bowline` describes a commit, the gateway answers
// with the contents it lacks, and once it has them it shows the commit, whole.

/** Files described in one request. */
export const MAX_FILES_A_REQUEST = 5_000;
/** Contents sent in one request: as many as fit, or a single one. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Contents asked for in one answer. */
export const MAX_LACKING = 2_000;
/** Files a mirror holds at most. */
export const MAX_FILES = 200_000;

const sha = z.string().regex(SHA);
const path = z.string().min(1).max(4_096);
const time = z.int().min(0).max(8_640_000_000_000_000);

export const mirroredFile = z.strictObject({
  path,
  sha,
  size: z.int().min(0),
  mode: z.enum(MODES),
  /** When its last commit was made, in milliseconds. */
  modified: time,
});

const entries = {
  files: z.array(mirroredFile).max(MAX_FILES_A_REQUEST),
  /** Paths that the base has and this commit lacks. */
  removed: z.array(path).max(MAX_FILES_A_REQUEST),
  /** Whether these are the last ones. */
  complete: z.boolean(),
};

export const openPatterns = z
  .array(
    z
      .string()
      .min(1)
      .max(256)
      .refine((pattern) => objectionToPattern(pattern) === undefined),
  )
  .min(1)
  .max(200);

/** Places that look like secrets and are none, as `path:rule`. */
export const allowedSecrets = z
  .array(
    z
      .string()
      .regex(/^.+:[\w-]+$/su)
      .max(4_200),
  )
  .max(500);

/** What the owner opened and allowed. The gateway keeps it; only the owner changes it, with a fresh proof. */
export const mirrorSettings = z.strictObject({ open: openPatterns, allowedSecrets });
export type MirrorSettings = z.output<typeof mirrorSettings>;

/** Opens a push. */
export const newPush = z.strictObject({
  commit: sha,
  committedAt: time,
  branch: z.string().max(256).nullable(),
  /** The mirrored commit that only the differences to are described; null for the whole list. */
  base: sha.nullable(),
  /** What this push is about: all that is open, or less. It opens nothing. */
  open: openPatterns,
  /** Earlier versions of `bowline` send it. What is allowed is for the gateway's settings to say, so nobody reads it. */
  allowedSecrets: z.array(z.string().max(4_200)).max(500).optional(),
  ...entries,
});
export const moreEntries = z.strictObject(entries);

export type MirroredFile = z.output<typeof mirroredFile>;
export type NewPush = z.output<typeof newPush>;
export type MoreEntries = z.output<typeof moreEntries>;

/** What the gateway says to every step of a push. */
export const pushAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), id: z.string(), lacking: z.array(z.string()) }),
  z.object({ kind: z.literal('done'), commit: z.string(), files: z.int() }),
  /** The mirror is not at the base, so that differences to it say nothing; it is at `commit`. */
  z.object({ kind: z.literal('other_base'), commit: z.string().nullable() }),
  z.object({ kind: z.literal('unknown_push') }),
  z.object({ kind: z.literal('too_many_files') }),
  /** The owner did not open this path; or, without one, nothing of what the push is about. */
  z.object({ kind: z.literal('not_open'), path: z.string().nullable() }),
]);
export type PushAnswer = z.output<typeof pushAnswer>;

export const mirrorStatus = z.object({
  commit: z.string().nullable(),
  committedAt: z.number().nullable(),
  branch: z.string().nullable(),
  pushedAt: z.number().nullable(),
  pushedBy: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  open: z.array(z.string()),
  /** Why the last fetch that GitHub asked for came to nothing; null if it did not. */
  problem: z.string().nullable(),
  /** For whoever may push. */
  settings: z.object({ open: z.array(z.string()), allowedSecrets: z.array(z.string()) }).optional(),
});
export type MirrorStatus = z.output<typeof mirrorStatus>;

/** The first line of a body of contents: what follows it, in order, without anything between. */
export const blobHead = z.strictObject({
  blobs: z.array(z.strictObject({ sha, size: z.int().min(0) })).max(MAX_LACKING),
});
