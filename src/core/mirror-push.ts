import * as z from 'zod';
import { MODES, SHA } from './git-blob.ts';
import { objectionToPattern } from './path-policy.ts';

// The messages between `bowline mirror` and the gateway. `bowline` describes a commit, and the gateway
// answers with the contents it lacks. Once it has them all, it shows the whole commit.

/** The most files that one request describes. */
export const MAX_FILES_A_REQUEST = 5_000;
/** Bytes of contents in one request: as many contents as fit, or a single larger one. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/**
 * The most contents that one answer asks for and the next request brings. Cloudflare's free plan lets one request make
 * a thousand calls to the store.
 */
export const MAX_LACKING = 800;
/**
 * What one request of a push that comes in pieces brings at most, and how many contents the gateway reads again for it.
 * Requests of this size fit what Cloudflare's free plan gives one request. The gateway tells these numbers to `bowline`.
 */
export const PIECES = { files: 500, chars: 200_000, contents: 200, bytes: 512 * 1024, reads: 400 } as const;
/** The most files that a mirror holds. */
export const MAX_FILES = 200_000;
/** The most unfinished pushes of one pusher. Each takes room for a day: a row for some hundred files. */
export const MAX_UNFINISHED = 16;

const sha = z.string().regex(SHA);
const path = z.string().min(1).max(4_096);
const time = z.int().min(0).max(8_640_000_000_000_000);

const mirroredFile = z.strictObject({
  path,
  sha,
  size: z.int().min(0),
  mode: z.enum(MODES),
  /** The time of its last commit, in milliseconds. */
  modified: time,
});

const entries = {
  files: z.array(mirroredFile).max(MAX_FILES_A_REQUEST),
  /** Paths that the base has and this commit does not. */
  removed: z.array(path).max(MAX_FILES_A_REQUEST),
  /** True in the last request. */
  complete: z.boolean(),
};

const openPatterns = z
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

/** The paths that the owner opened and the secrets they allowed. Only the owner changes them, with a fresh proof. */
export const mirrorSettings = z.strictObject({ open: openPatterns, allowedSecrets });
export type MirrorSettings = z.output<typeof mirrorSettings>;

/** Opens a push. */
export const newPush = z.strictObject({
  commit: sha,
  committedAt: time,
  branch: z.string().max(256).nullable(),
  /** The mirrored commit that the differences refer to; `null` if the push lists all files. */
  base: sha.nullable(),
  /** The paths that this push covers: all open ones, or fewer. It opens nothing. */
  open: openPatterns,
  /**
   * Sent by earlier versions of `bowline` and read by nobody: the gateway's settings say which places are
   * allowed.
   */
  allowedSecrets: z.array(z.string().max(4_200)).max(500).optional(),
  /**
   * The digest of everything that the push says, in all its pieces. The same pusher goes on with an unfinished push of
   * this name. Earlier versions of `bowline` send none.
   */
  name: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  ...entries,
});
export const moreEntries = z.strictObject({
  ...entries,
  /** The number of this piece. The one that opened the push is 0. Needed in a push that has a name. */
  piece: z.int().min(1).max(MAX_FILES).optional(),
});

export type MirroredFile = z.output<typeof mirroredFile>;
export type NewPush = z.output<typeof newPush>;
export type MoreEntries = z.output<typeof moreEntries>;

/** The gateway's answer to each step of a push. */
export const pushAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('open'),
    id: z.string(),
    lacking: z.array(z.string()),
    /** The number of the piece that comes next. Earlier gateways tell neither this nor what follows. */
    next: z.int().optional(),
    /** The parts of the push whose contents are all here and found by search, and all of its parts. */
    ready: z.int().optional(),
    rows: z.int().optional(),
  }),
  z.object({ kind: z.literal('done'), commit: z.string(), files: z.int() }),
  /** The mirror is not at the base but at `commit`, so differences to the base mean nothing. */
  z.object({ kind: z.literal('other_base'), commit: z.string().nullable() }),
  z.object({ kind: z.literal('unknown_push') }),
  z.object({ kind: z.literal('too_many_files') }),
  /**
   * A piece came before its turn, again but with something else, or after the last, or an unfinished push of this name
   * says something else. `next` is the piece that is due.
   */
  z.object({
    kind: z.literal('wrong_piece'),
    why: z.enum(['early', 'changed', 'complete', 'unnumbered', 'other']),
    piece: z.int(),
    next: z.int(),
  }),
  /** A push names a path twice. */
  z.object({ kind: z.literal('named_twice'), path: z.string() }),
  /** The owner did not open this path. With `null`, nothing that the push covers is open. */
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
  /** Why the last fetch that GitHub asked for failed; `null` if it did not. */
  problem: z.string().nullable(),
  /** What a piece of a push has at most. Earlier gateways take no pieces and do not tell. */
  pieces: z.object({ files: z.int().min(1), chars: z.int().min(1), bytes: z.int().min(1) }).optional(),
  /** Only for callers who may push. */
  settings: z.object({ open: z.array(z.string()), allowedSecrets: z.array(z.string()) }).optional(),
});
export type MirrorStatus = z.output<typeof mirrorStatus>;

/**
 * The first line of a body of contents. It says which contents follow, in order, with nothing between them.
 */
export const blobHead = z.strictObject({
  blobs: z.array(z.strictObject({ sha, size: z.int().min(0) })).max(MAX_LACKING),
});
