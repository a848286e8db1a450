import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { packTar, type TarEntry } from 'modern-tar';
import { blobsIn } from '../../../src/mirror/blobs.ts';
import type { Wanted } from '../../../src/mirror/deliveries.ts';
import { githubHook } from '../../../src/mirror/github-hook.ts';
import { pullCommit } from '../../../src/mirror/github-pull.ts';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { guardFetch } from '../../../src/web/guarded-fetch.ts';
import { commitOf } from './support.ts';

export const SECRET = 'a webhook secret of some length';
export const COMMIT = commitOf('from github');

/** What GitHub posts for a push, as its documentation has it, shortened. */
export function payload(over: object = {}): string {
  return JSON.stringify({
    ref: 'refs/heads/main',
    before: commitOf('before'),
    after: COMMIT,
    created: false,
    deleted: false,
    forced: false,
    repository: {
      id: 1,
      name: 'notes',
      full_name: 'Ada/notes',
      pushed_at: 1_767_952_800,
      default_branch: 'main',
    },
    pusher: { name: 'ada' },
    head_commit: { id: COMMIT, timestamp: '2026-01-09T11:00:00+01:00' },
    ...over,
  });
}

export const sign = (body: string, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

let deliveries = 0;

/** Posts a delivery as GitHub does; what is given replaces its headers. */
export function deliver(mirror: Mirror, body: string, over: Record<string, string | null> = {}) {
  deliveries += 1;
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': `72d3162e-cc78-11e3-81ab-${String(deliveries).padStart(12, '0')}`,
    'x-hub-signature-256': sign(body),
    ...over,
  };
  const app = githubHook({
    github: { repo: 'ada/notes', branch: 'main', secret: SECRET },
    announce: (push) => mirror.stub().announce(push),
  });
  const sent = Object.entries(headers).filter((header): header is [string, string] => header[1] !== null);
  return app.request('/hooks/github', { method: 'POST', body, headers: sent });
}

/** A `tar.gz`, as codeload packs one: a global header that names the commit, then all in one folder. */
export async function archive(entries: readonly TarEntry[], folder = `Ada-notes-${COMMIT.slice(0, 7)}`) {
  const all: TarEntry[] = [
    { header: { name: 'pax_global_header', type: 'pax-global-header', size: 0, pax: { comment: COMMIT } } },
    { header: { name: `${folder}/`, type: 'directory', size: 0, mode: 0o775 } },
    ...entries.map(({ header, ...rest }) => ({
      header: { ...header, name: `${folder}/${header.name}` },
      ...rest,
    })),
  ];
  return gzip(await packTar(all));
}

export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

export const file = (name: string, body: string | Uint8Array<ArrayBuffer> = ''): TarEntry => ({
  header: { name, size: typeof body === 'string' ? new TextEncoder().encode(body).length : body.length },
  body,
});

/** GitHub and its archive server: the one sends on to the other. */
export function standIn(packed: Uint8Array<ArrayBuffer>, seen: Request[] = []): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    seen.push(request);
    const url = new URL(request.url);
    if (url.host === 'api.github.com') {
      const location = `https://codeload.github.com/ada/notes/legacy.tar.gz/${COMMIT}?token=AAA`;
      return new Response(null, { status: 302, headers: { location } });
    }
    return new Response(packed, { headers: { 'content-type': 'application/x-gzip' } });
  };
}

const wanted: Wanted = {
  repo: 'ada/notes',
  branch: 'main',
  commit: COMMIT,
  pushedAt: Date.parse('2026-01-10T00:00:00Z'),
  attempts: 0,
};

/** Has a mirror fetch the announced commit from a stand-in, through the guard that every fetch passes. */
export function pull(mirror: Mirror, fetchAnything: typeof fetch) {
  return runInDurableObject(mirror.stub(), (_, { storage }) =>
    pullCommit(wanted, {
      storage,
      blobs: blobsIn(env.BLOBS),
      fetch: guardFetch(fetchAnything),
      api: 'https://api.github.com',
      token: 'ghp_for_tests',
      now: Date.now,
      switched: () => undefined,
    }),
  );
}
