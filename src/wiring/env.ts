import type { EventsObject } from '../events/events-object.ts';
import type { GateObject } from '../gate/gate-object.ts';
import type { MachineObject } from '../machines/machine-object.ts';
import type { MemoryLog } from '../memory/memory-object.ts';
import type { RepoMirror } from '../mirror/mirror-object.ts';
import type { OwnerObject } from '../owner/owner-object.ts';
import type { OutboundSettings } from '../web/outbound.ts';
import type { AiBinding } from '../web/search/backend.ts';

/** The Worker's configuration. */
export interface Env extends OutboundSettings {
  /** The gateway's own address, e.g. `https://bowline.example.workers.dev`. Empty: the address it is asked at. */
  readonly PUBLIC_URL: string;
  /** SHA-256 of the owner key, in hex. */
  readonly OWNER_KEY_HASH?: string;
  /**
   * The header in which the platform says where a request comes from. Set it only where the platform itself
   * writes that header, whatever a client sent.
   */
  readonly CLIENT_ADDRESS_HEADER?: string;
  /** Further host names that it answers to, separated by commas. */
  readonly ALLOWED_HOSTS?: string;
  /** The origins whose pages may call it, separated by commas. */
  readonly ALLOWED_ORIGINS?: string;
  readonly OAUTH_KV: KVNamespace;
  readonly OWNER: DurableObjectNamespace<OwnerObject>;
  readonly GATE: DurableObjectNamespace<GateObject>;
  readonly MEMORY: DurableObjectNamespace<MemoryLog>;
  readonly EVENTS: DurableObjectNamespace<EventsObject>;
  /** The key that signs the memory's checkpoints: a private Ed25519 key, PKCS #8 in base64. */
  readonly MEMORY_KEY?: string;
  readonly MACHINE: DurableObjectNamespace<MachineObject>;
  readonly MIRROR: DurableObjectNamespace<RepoMirror>;
  /** The store for the contents of the mirrored files. */
  readonly BLOBS: R2Bucket;
  /** The secret that every name in the store begins with, under `wrangler dev`. */
  readonly BLOB_NAMES_BEGIN?: string;
  /** The GitHub repo to follow, as `owner/name`. */
  readonly GITHUB_REPO?: string;
  /** The branch to follow. `main` if not set. */
  readonly GITHUB_BRANCH?: string;
  /** The secret that GitHub signs its deliveries with. */
  readonly GITHUB_WEBHOOK_SECRET?: string;
  /** The token to read a private repo's archive: a fine-grained one with `contents: read` of that repo. */
  readonly GITHUB_TOKEN?: string;
  /** The API of another GitHub than github.com. */
  readonly GITHUB_API?: string;
  /** Cloudflare's AI, for its web search. */
  readonly AI?: AiBinding;
}
