import { errorText } from '../core/error-text.ts';
import { blobSha, hasContent, utf8Text } from '../core/git-blob.ts';
import type { MirroredFile } from '../core/mirror-push.ts';
import { isMirrored } from '../core/path-policy.ts';
import { isAllowedSecret, type SecretFound, secretsIn } from '../core/secret-scan.ts';
import { advance } from './advance.ts';
import { ArchiveRefused, filesInArchive } from './archive.ts';
import { type Blobs, Puts } from './blobs.ts';
import { type Arrived, takeArrived } from './contents.ts';
import type { Wanted } from './deliveries.ts';
import { isInBucket } from './in-bucket.ts';
import { settingsOf } from './mirror-settings.ts';
import type { Switched } from './push-record.ts';
import { dropPush, openPush, stage } from './push-store.ts';

interface PullPorts {
  readonly storage: DurableObjectStorage;
  readonly blobs: Blobs;
  readonly fetch: typeof globalThis.fetch;
  /** `https://api.github.com`, or the address of a company's own GitHub. */
  readonly api: string;
  readonly token: string | undefined;
  now(): number;
  /** Hears what the switch to the commit changed. */
  switched(what: Switched): void;
}

/** The end of a fetch: no problem, or one that may pass. */
interface Pulled {
  readonly problem: string | null;
  readonly again: boolean;
}

/** The pusher of commits that GitHub announces. */
export const GITHUB = { principal: 'github', by: 'github' };

const MAX_PLACES_NAMED = 5;
const FILES_AT_ONCE = 100;

/** Fetches a commit's archive and shows the commit as if somebody had pushed it. */
export async function pullCommit(wanted: Wanted, ports: PullPorts): Promise<Pulled> {
  const { fetch, api, token, storage } = ports;
  const id = crypto.randomUUID();
  try {
    const response = await fetch(`${api}/repos/${wanted.repo}/tarball/${wanted.commit}`, {
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'bowline',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const again = response.status >= 500 || response.status === 429;
      return { problem: `GitHub answered ${response.status} when asked for the archive.`, again };
    }
    const secrets = await takeArchive(response.body, id, wanted, ports);
    if (secrets.length === 0) return { problem: null, again: false };
    storage.transactionSync(() => dropPush(storage.sql, id));
    return { problem: secretsProblem(secrets), again: false };
  } catch (error) {
    storage.transactionSync(() => dropPush(storage.sql, id));
    const why = errorText(error);
    return { problem: `The archive was not taken: ${why}`, again: !(error instanceof ArchiveRefused) };
  }
}

/** Takes an archive in. Gives the secrets that keep its commit from being shown. */
async function takeArchive(
  body: ReadableStream<Uint8Array>,
  id: string,
  { commit, branch, pushedAt }: Wanted,
  { storage, blobs, now, switched }: PullPorts,
): Promise<SecretFound[]> {
  const { sql } = storage;
  const { open, allowedSecrets } = settingsOf(sql);
  const none = { files: [], removed: [], complete: false };
  const opened = {
    commit,
    committedAt: pushedAt,
    branch,
    base: null,
    open,
    ...none,
  };
  storage.transactionSync(() => openPush(sql, opened, { id, ...GITHUB, now: now() }));
  const secrets: SecretFound[] = [];
  const puts = new Puts(blobs);
  let files: MirroredFile[] = [];
  let arrived: Arrived[] = [];
  const flush = async (complete: boolean) => {
    await puts.done();
    const refused = storage.transactionSync(() => {
      const answer = stage(sql, id, { files, removed: [], complete }, now());
      if (!answer) takeArrived(sql, id, arrived, now());
      return answer;
    });
    // The owner changed what is open meanwhile. The next try uses the new settings.
    if (refused?.kind === 'unknown_push') throw new Error('the settings changed meanwhile');
    if (refused) throw new ArchiveRefused(`the push ended as ${refused.kind}`);
    files = [];
    arrived = [];
  };
  for await (const { path, mode, size, bytes } of filesInArchive(body)) {
    if (!isMirrored(path, { open })) continue;
    const kept = hasContent({ mode, size });
    const content = kept ? await bytes() : new Uint8Array();
    secrets.push(...secretsIn(path, content).filter((one) => !isAllowedSecret(one, allowedSecrets)));
    if (secrets.length >= MAX_PLACES_NAMED) return secrets;
    const sha = blobSha(content, commit);
    files.push({ path, sha, size, mode, modified: modifiedOf(sql, path, sha) ?? pushedAt });
    if (kept && secrets.length === 0 && !isInBucket(sql, sha)) {
      await puts.put(sha, content);
      const text = utf8Text(content);
      arrived.push(text === undefined ? { sha } : { sha, text });
    }
    if (files.length >= FILES_AT_ONCE) await flush(false);
  }
  if (secrets.length > 0) return secrets;
  await flush(true);
  const answer = await advance(storage, blobs, id, now, switched);
  if (answer.kind !== 'done') throw new Error(`the push ended as ${answer.kind}`);
  return [];
}

/** Gives the time of an unchanged file. An archive has no times, so such a file keeps its old one. */
function modifiedOf(sql: SqlStorage, path: string, sha: string): number | undefined {
  return sql
    .exec<{ modified: number }>('SELECT modified FROM file WHERE path = ? AND sha = ?', path, sha)
    .toArray()[0]?.modified;
}

function secretsProblem(secrets: readonly SecretFound[]): string {
  const places = secrets
    .slice(0, MAX_PLACES_NAMED)
    .map(({ path, line, rule }) => `${path}:${line} (${rule})`);
  return `The commit holds what looks like secrets, so it was not mirrored: ${places.join(', ')}.`;
}
