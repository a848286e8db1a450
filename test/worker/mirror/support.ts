import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { blobSha, utf8Text } from '../../../src/core/git-blob.ts';
import type { MirroredFile, NewPush, PushAnswer } from '../../../src/core/mirror-push.ts';
import { OPEN_BY_DEFAULT } from '../../../src/core/path-policy.ts';
import { type Mirror, type MirrorStub, makeMirror } from '../../../src/mirror/mirror-port.ts';

let made = 0;

/** A mirror that nothing was pushed to. */
export function newMirror(): Mirror {
  made += 1;
  const id = env.MIRROR.idFromName(`mirror ${made}`);
  return makeMirror({ stub: () => env.MIRROR.get(id), bucket: env.BLOBS });
}

/** Works on a mirror's own database. */
export function inMirror<T>(mirror: Mirror, act: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(mirror.stub(), (_, state) => act(state.storage.sql));
}

/** The name of a commit, the same for the same word. */
export function commitOf(word: string): string {
  return blobSha(new TextEncoder().encode(word), '0'.repeat(40));
}

export type Content = string | Uint8Array;
type Files = Readonly<
  Record<string, Content | { readonly mode: MirroredFile['mode']; readonly content?: Content }>
>;

export const MODIFIED = Date.parse('2026-01-09T10:00:00Z');

const bytesOf = (content: Content) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** A commit with these files, described as `bowline mirror` does, and their contents by name. */
export function described(commit: string, files: Files, over: Partial<NewPush> = {}) {
  const contents = new Map<string, Uint8Array>();
  const listed = Object.entries(files).map(([path, given]): MirroredFile => {
    const { mode, content = '' } =
      typeof given === 'object' && 'mode' in given ? given : { mode: '100644' as const, content: given };
    const bytes = bytesOf(content);
    const sha = blobSha(bytes, commitOf(commit));
    contents.set(sha, bytes);
    return { path, sha, size: bytes.byteLength, mode, modified: MODIFIED };
  });
  const push: NewPush = {
    commit: commitOf(commit),
    committedAt: MODIFIED,
    branch: 'main',
    base: null,
    open: OPEN_BY_DEFAULT,
    files: listed,
    removed: [],
    complete: true,
    ...over,
  };
  return { push, contents };
}

/** Sends what a push lacks until it is done. */
export async function sendLacking(
  mirror: Mirror,
  answer: PushAnswer,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<PushAnswer> {
  let said = answer;
  while (said.kind === 'open' && said.lacking.length > 0) {
    const { id, lacking } = said;
    for (const sha of lacking) await mirror.blobs.put(sha, contents.get(sha) ?? new Uint8Array());
    said = await mirror.stub().arrived(
      id,
      lacking.map((sha) => {
        const text = utf8Text(contents.get(sha) ?? new Uint8Array());
        return text === undefined ? { sha } : { sha, text };
      }),
    );
  }
  return said;
}

/** Who pushes in these tests. */
export const TESTS = { principal: 'token:tests', by: 'tests' };

/** Has the owner open this and nothing else. */
export async function opened(mirror: Mirror, open: string[], allowedSecrets: string[] = []): Promise<void> {
  await mirror.stub().changeSettings({ open, allowedSecrets });
}

/** Pushes a commit with these files, to its end; what it is about is opened first. */
export async function pushed(mirror: Mirror, commit: string, files: Files, over: Partial<NewPush> = {}) {
  const { push, contents } = described(commit, files, over);
  if (over.open) await opened(mirror, over.open);
  const answer = await sendLacking(mirror, await mirror.stub().open(push, TESTS), contents);
  if (answer.kind !== 'done') throw new Error(`The push ended as ${JSON.stringify(answer)}`);
  return answer;
}

export type { MirrorStub };
