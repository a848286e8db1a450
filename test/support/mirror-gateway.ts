import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { blobSha, hasContent } from '../../src/core/git-blob.ts';
import {
  type MirroredFile,
  type MirrorSettings,
  type MirrorStatus,
  type MoreEntries,
  type NewPush,
  newPush,
  type PushAnswer,
} from '../../src/core/mirror-push.ts';
import { OPEN_BY_DEFAULT } from '../../src/core/path-policy.ts';

/** What a gateway is to a push, with everything that reaches it written down. */
export interface RecordingGateway {
  readonly url: string;
  /** Every request: its line, and its body byte for byte. */
  readonly requests: { readonly line: string; readonly body: Buffer }[];
  readonly blobs: Map<string, Buffer>;
  commit: string | null;
  open: readonly string[];
  /** What its owner opened and allowed; nobody may push without it. */
  settings: MirrorSettings | undefined;
  files: Map<string, MirroredFile>;
  /** What it says of pieces. Without it, it is a gateway of an earlier version. */
  pieces: MirrorStatus['pieces'];
  /** Says something else than it would; once it gives nothing, things go on as usual. */
  instead: ((line: string) => object | number | undefined) | undefined;
  pushes(): NewPush[];
  close(): Promise<void>;
}

export async function recordingGateway(): Promise<RecordingGateway> {
  const staged = new Map<string, NewPush & { readonly came: number }>();
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const line = `${request.method} ${request.url}`;
    gateway.requests.push({ line, body });
    const instead = gateway.instead?.(line);
    if (typeof instead === 'number') return say(response, instead, {});
    say(response, 200, instead ?? answer(request.url ?? '', body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');

  const gateway: RecordingGateway = {
    url: `http://127.0.0.1:${address.port}`,
    requests: [],
    blobs: new Map(),
    commit: null,
    open: [],
    settings: { open: OPEN_BY_DEFAULT, allowedSecrets: [] },
    files: new Map(),
    pieces: undefined,
    instead: undefined,
    pushes: () =>
      gateway.requests
        .filter(({ line }) => line === 'POST /api/mirror/pushes')
        .map(({ body }) => newPush.parse(JSON.parse(body.toString()))),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function answer(path: string, body: Buffer): object {
    const [, id = '', what] = /^\/api\/mirror\/pushes\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (path === '/api/mirror') return status();
    if (path === '/api/mirror/pushes') {
      const push = newPush.parse(JSON.parse(body.toString()));
      const isSame = push.open.join() === gateway.open.join();
      if (push.base !== null && (push.base !== gateway.commit || !isSame))
        return { kind: 'other_base', commit: isSame ? gateway.commit : null };
      const again = [...staged].find(([, one]) => one.name !== undefined && one.name === push.name);
      if (again) return goOn(again[0]);
      const name = `push${staged.size + 1}`;
      staged.set(name, { ...push, came: 1 });
      return goOn(name);
    }
    if (what === 'files') {
      const push = staged.get(id);
      const more = JSON.parse(body.toString()) as MoreEntries;
      if (!push) return { kind: 'unknown_push' };
      if (more.piece !== (gateway.pieces && push.came)) throw new Error(`Piece ${more.piece} is not due.`);
      staged.set(id, {
        ...push,
        files: [...push.files, ...more.files],
        removed: [...push.removed, ...more.removed],
        complete: more.complete,
        came: push.came + 1,
      });
    }
    if (what === 'blobs') takeBlobs(body);
    return goOn(id);
  }

  function goOn(id: string): PushAnswer {
    const push = staged.get(id);
    if (!push) return { kind: 'unknown_push' };
    const needed = new Set(push.files.filter(hasContent).map(({ sha }) => sha));
    const lacking = [...needed].filter((sha) => !gateway.blobs.has(sha));
    if (!push.complete || lacking.length > 0)
      return {
        ...{ kind: 'open', id, lacking: push.complete ? lacking : [] },
        ...(gateway.pieces ? { next: push.came } : {}),
      };
    if (push.base === null) gateway.files.clear();
    for (const path of push.removed) gateway.files.delete(path);
    for (const file of push.files) gateway.files.set(file.path, file);
    gateway.commit = push.commit;
    gateway.open = push.open;
    return { kind: 'done', commit: push.commit, files: gateway.files.size };
  }

  function takeBlobs(body: Buffer): void {
    const end = body.indexOf(0x0a);
    const head = JSON.parse(body.toString('utf8', 0, end)) as { blobs: { sha: string; size: number }[] };
    let at = end + 1;
    for (const { sha, size } of head.blobs) {
      const bytes = body.subarray(at, at + size);
      if (blobSha(bytes, sha) !== sha) throw new Error(`${sha} is not what was sent`);
      gateway.blobs.set(sha, bytes);
      at += size;
    }
  }

  function status() {
    const { commit, open, files, settings, pieces } = gateway;
    const unsaid = { committedAt: null, branch: null, pushedAt: null, pushedBy: null, problem: null };
    return { ...unsaid, commit, open, files: files.size, bytes: 0, settings, ...(pieces ? { pieces } : {}) };
  }
  return gateway;
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
