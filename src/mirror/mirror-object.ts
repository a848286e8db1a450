import { DurableObject } from 'cloudflare:workers';
import type { ServerEvent } from '@modelcontextprotocol/server';
import first from '../../migrations/mirror/0001_mirror.sql';
import second from '../../migrations/mirror/0002_search.sql';
import third from '../../migrations/mirror/0003_settings.sql';
import fourth from '../../migrations/mirror/0004_folders.sql';
import fifth from '../../migrations/mirror/0005_pieces.sql';
import type { MirrorSettings, MoreEntries, NewPush, PushAnswer } from '../core/mirror-push.ts';
import type { EventsObject } from '../events/events-object.ts';
import type { GateObject } from '../gate/gate-object.ts';
import { bucketOf } from '../storage/bucket.ts';
import { migrate } from '../storage/migrate.ts';
import { advance } from './advance.ts';
import { type Blobs, blobsIn } from './blobs.ts';
import { children } from './children.ts';
import { repoUri } from './console-links.ts';
import { type Arrived, takeArrived } from './contents.ts';
import { dueWanted, nextWanted, settleWanted, takeAnnounced } from './deliveries.ts';
import type { Announced } from './github-hook.ts';
import { GITHUB, pullCommit } from './github-pull.ts';
import { changeSettings, settingsOf } from './mirror-settings.ts';
import * as store from './mirror-store.ts';
import { type Pusher, type PushSaid, pushRecord, type Switched } from './push-record.ts';
import { openPush, pushOf, stage, unfinished } from './push-store.ts';
import { type Queries, searchDocs } from './search-store.ts';
import { nextSweep, takeOldBlobs } from './sweep.ts';

/** The object's settings from the Worker's configuration. */
interface MirrorEnv {
  readonly EVENTS: DurableObjectNamespace<EventsObject>;
  readonly GATE: DurableObjectNamespace<GateObject>;
  readonly BLOBS: R2Bucket;
  readonly BLOB_NAMES_BEGIN?: string;
  readonly GITHUB_API?: string;
  readonly GITHUB_TOKEN?: string;
}

/** The time between a switch and the search for contents of the earlier commit. */
const LOOK_AFTER_MS = 60_000;

/** A push in progress, as the ledger should describe it. */
interface Begun {
  readonly pusher: Pusher;
  readonly said: PushSaid;
}

/** The mirror of one owner's repo: the shown commit, and the commits in progress. */
export class RepoMirror extends DurableObject<MirrorEnv> {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #blobs: Blobs;
  /** While contents are being deleted, no push may count on them. */
  #sweeping: Promise<void> = Promise.resolve();

  constructor(state: DurableObjectState, env: MirrorEnv) {
    super(state, env);
    this.#storage = state.storage;
    this.#sql = state.storage.sql;
    this.#blobs = blobsIn(bucketOf(env));
    migrate(state.storage, [
      { name: '0001_mirror', sql: first },
      { name: '0002_search', sql: second },
      { name: '0003_settings', sql: third },
      { name: '0004_folders', sql: fourth },
      { name: '0005_pieces', sql: fifth },
    ]);
  }

  async open(push: NewPush, pusher: Pusher): Promise<PushAnswer> {
    await this.#sweeping;
    const id = unfinished(this.#sql, push, pusher) ?? crypto.randomUUID();
    const { commit, branch, base, files } = push;
    const begun = { pusher, said: { commit, branch, base, files: files.length } };
    return this.#write(id, () => openPush(this.#sql, push, { id, ...pusher, now: Date.now() }), begun);
  }

  async stage(id: string, entries: MoreEntries): Promise<PushAnswer> {
    await this.#sweeping;
    return this.#write(id, () => stage(this.#sql, id, entries, Date.now(), entries.piece));
  }

  arrived(id: string, arrived: readonly Arrived[]): Promise<PushAnswer> {
    return this.#write(id, () => void takeArrived(this.#sql, id, arrived, Date.now()));
  }

  settings() {
    return settingsOf(this.#sql);
  }

  changeSettings(settings: MirrorSettings): void {
    this.#announceSwitch(this.#storage.transactionSync(() => changeSettings(this.#sql, settings)));
  }

  locate(path: string) {
    return store.locate(this.#sql, path);
  }

  list(folder: string, after: string, limit: number) {
    return store.list(this.#sql, folder, after, limit);
  }

  children(folder: string, after: string, limit: number) {
    return children(this.#sql, folder, after, limit);
  }

  pathsFrom(typed: string, limit: number) {
    return store.pathsFrom(this.#sql, typed, limit);
  }

  /** Finds nothing if nothing was mirrored. */
  search(queries: Queries, limit: number) {
    return store.head(this.#sql) ? searchDocs(this.#sql, queries, limit) : null;
  }

  status() {
    return store.status(this.#sql);
  }

  async announce(push: Announced): Promise<'taken' | 'replayed' | 'outdated'> {
    const outcome = this.#storage.transactionSync(() => takeAnnounced(this.#sql, push, Date.now()));
    if (outcome === 'taken') await this.#wakeAt(Date.now());
    return outcome;
  }

  override async alarm(): Promise<void> {
    const wanted = dueWanted(this.#sql, Date.now());
    if (wanted) {
      const end = await pullCommit(wanted, {
        storage: this.#storage,
        blobs: this.#blobs,
        fetch: (input, init) => globalThis.fetch(input, init),
        api: this.env.GITHUB_API ?? 'https://api.github.com',
        token: this.env.GITHUB_TOKEN,
        now: Date.now,
        switched: this.#announceSwitch,
      });
      settleWanted(this.#sql, wanted, end, Date.now());
      const { commit, branch } = wanted;
      const files = end.problem === null ? store.status(this.#sql).files : undefined;
      if (!end.again) await this.#record(GITHUB, { commit, branch, files }, end.problem && 'not_mirrored');
    }
    const old = this.#storage.transactionSync(() => takeOldBlobs(this.#sql, Date.now()));
    if (old.length > 0) {
      const deleting = this.#blobs.delete(old);
      // Pushes wait for the end, good or bad. A failure leaves a few bytes that nothing names.
      this.#sweeping = deleting.catch(() => undefined);
      await deleting;
    }
    const next = [nextWanted(this.#sql), nextSweep(this.#sql, Date.now())].filter((at) => at !== undefined);
    if (next.length > 0) await this.#wakeAt(Math.min(...next));
  }

  async #write(
    id: string,
    change: () => PushAnswer | undefined,
    begun: Begun | undefined = this.#begun(id),
  ): Promise<PushAnswer> {
    const refused = this.#storage.transactionSync(change);
    let isShown = false;
    const switched = (what: Switched) => {
      isShown = true;
      this.#announceSwitch(what);
    };
    const answer = refused ?? (await advance(this.#storage, this.#blobs, id, Date.now, switched));
    // A push whose last contents come twice is done, but not twice.
    if (begun && (isShown || refused) && answer.kind === 'done')
      await this.#record(begun.pusher, { ...begun.said, files: answer.files }, null);
    if (begun && answer.kind === 'not_open')
      await this.#record(begun.pusher, { ...begun.said, path: answer.path ?? undefined }, answer.kind);
    if (begun && (answer.kind === 'too_many_files' || answer.kind === 'named_twice'))
      await this.#record(begun.pusher, begun.said, answer.kind);
    if (answer.kind === 'done' || answer.kind === 'open') await this.#wakeAt(Date.now() + LOOK_AFTER_MS);
    return answer;
  }

  #begun(id: string): Begun | undefined {
    const push = pushOf(this.#sql, id);
    if (!push) return undefined;
    const { principal, by, commit_sha: commit, branch, base } = push;
    return { pusher: { principal, by }, said: { commit, branch, base } };
  }

  /** Records a push before anybody hears of it. An unreachable ledger does not undo a switch that happened. */
  async #record(pusher: Pusher, said: PushSaid, code: string | null): Promise<void> {
    try {
      await this.env.GATE.get(this.env.GATE.idFromName('owner')).settle([pushRecord(pusher, said, code)]);
    } catch (error) {
      console.error('[ledger]', error);
    }
  }

  /** Tells the followers of changed files. The switch stands even if they miss it. */
  readonly #announceSwitch = ({ changed, listChanged }: Switched): void => {
    const events: ServerEvent[] = changed.map((path) => ({ kind: 'resource_updated', uri: repoUri(path) }));
    if (listChanged) events.push({ kind: 'resources_list_changed' });
    if (events.length === 0) return;
    const bus = this.env.EVENTS.get(this.env.EVENTS.idFromName('owner'));
    const told = bus.publish(...events.map((event) => JSON.stringify(event)));
    this.ctx.waitUntil(told.catch((error: unknown) => console.error('[events]', error)));
  };

  async #wakeAt(at: number): Promise<void> {
    const set = await this.#storage.getAlarm();
    if (set === null || set > at) await this.#storage.setAlarm(at);
  }
}
