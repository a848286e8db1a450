import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import * as z from 'zod';
import { SHA } from '../core/git-blob.ts';
import { readBytes } from './read-bytes.ts';

/** The one repo and branch whose pushes are followed. Without it, none are. */
export interface GithubSettings {
  /** `owner/name` */
  readonly repo: string | undefined;
  readonly branch: string;
  /** The secret with which GitHub signs and the gateway checks. */
  readonly secret: string | undefined;
}

/** The believed part of a push that GitHub announced. */
export interface Announced {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  readonly pushedAt: number;
  /** The delivery's id and the hash of its body. If either comes twice, it is a replay. */
  readonly names: readonly string[];
}

interface GithubHookPorts {
  readonly github: GithubSettings;
  announce(push: Announced): Promise<'taken' | 'replayed' | 'outdated'>;
}

/**
 * Room for a push of some thousand commits. The body must be read before its signature can be checked, so the limit is
 * small.
 */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const MIN_SECRET_CHARS = 16;

const pushPayload = z.object({
  ref: z.string(),
  after: z.string().regex(SHA),
  deleted: z.boolean().optional(),
  repository: z.object({ full_name: z.string(), pushed_at: z.union([z.number(), z.string()]) }),
});

/** Takes GitHub's word that a branch moved, after checking that it is GitHub's. */
export function githubHook({ github, announce }: GithubHookPorts): Hono {
  const app = new Hono();
  app.post('/hooks/github', async (c) => {
    const { repo, branch, secret } = github;
    if (!repo || !secret || secret.length < MIN_SECRET_CHARS) {
      return said(
        404,
        'No webhook is set up here. Set GITHUB_REPO and a GITHUB_WEBHOOK_SECRET of 16 or more characters.',
      );
    }
    // Without a signature there is no reason to read it.
    if (!SIGNATURE.test(c.req.header('x-hub-signature-256') ?? ''))
      return said(401, 'The signature is missing or wrong.');
    const body = await readBytes(c.req.raw, MAX_PAYLOAD_BYTES);
    if (!body) return said(413, 'The payload is too large.');
    if (!isSigned(body, c.req.header('x-hub-signature-256'), secret))
      return said(401, 'The signature is missing or wrong.');
    const delivery = c.req.header('x-github-delivery') ?? '';
    if (!/^[\w-]{8,64}$/.test(delivery)) return said(400, 'The delivery has no id.');
    if (c.req.header('x-github-event') === 'ping') return said(200, 'Hello, GitHub.');
    if (c.req.header('x-github-event') !== 'push') return said(202, 'Only pushes are followed.');
    const parsed = pushPayload.safeParse(jsonOf(body, c.req.header('content-type') ?? ''));
    if (!parsed.success) return said(400, 'The payload is not that of a push.');
    const { ref, after, deleted, repository } = parsed.data;
    if (repository.full_name.toLowerCase() !== repo.toLowerCase())
      return said(403, 'Another repo is followed here.');
    if (ref !== `refs/heads/${branch}`) return said(202, 'Another branch is followed here.');
    if (deleted || /^0+$/.test(after)) return said(202, 'The branch is gone; what was mirrored stays.');
    const outcome = await announce({
      repo,
      branch,
      commit: after,
      pushedAt: timeOf(repository.pushed_at),
      // The id is not signed, so remember what was signed as well.
      names: [`id:${delivery}`, `body:${createHash('sha256').update(body).digest('hex')}`],
    });
    if (outcome === 'replayed') return said(409, 'This delivery was taken before.');
    if (outcome === 'outdated') return said(409, 'A later push was announced before.');
    return said(202, `The commit ${after.slice(0, 7)} is being fetched.`);
  });
  return app;
}

/** Tells whether the payload, byte for byte, was signed with the secret. It takes the same time for any signature. */
export function isSigned(body: Uint8Array, header: string | undefined, secret: string): boolean {
  const hex = SIGNATURE.exec(header ?? '')?.[1];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}

/** Reads a delivery. GitHub sends JSON, or a form with JSON in it, as its settings say. */
function jsonOf(body: Uint8Array, type: string): unknown {
  const text = new TextDecoder().decode(body);
  const json = type.startsWith('application/x-www-form-urlencoded')
    ? (new URLSearchParams(text).get('payload') ?? '')
    : text;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Reads a time. A push gives it in seconds; other events write it as text. */
function timeOf(pushedAt: number | string): number {
  return typeof pushedAt === 'number' ? pushedAt * 1_000 : Date.parse(pushedAt) || 0;
}

function said(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
