import { VERSION } from '../core/version.ts';
import type { HealthPorts } from './health.ts';

/** A key that nothing is stored under. */
const NOTHING = 'doctor/nothing-is-kept-here';

interface Wiring {
  readonly origin: string;
  readonly env: {
    readonly OWNER_KEY_HASH?: string;
    readonly MEMORY_KEY?: string;
    readonly SEARCH_BACKEND?: string | undefined;
    readonly LITELLM_URL?: string | undefined;
    readonly SEARXNG_URL?: string | undefined;
    readonly AI?: object;
    readonly GITHUB_REPO?: string;
    readonly GITHUB_WEBHOOK_SECRET?: string;
    readonly OAUTH_KV?: Pick<KVNamespace, 'get'>;
    readonly BLOBS?: Pick<R2Bucket, 'head'>;
  };
  owner(): { passkeys(): Promise<unknown> };
  gate(): { rules(): Promise<unknown>; yesterday(): Promise<object> };
  events(): { since(after: null): Promise<unknown> };
  memory(): { state(): ReturnType<HealthPorts['memory']> };
  mirror(): { status(): ReturnType<HealthPorts['mirror']> };
  readonly machines: HealthPorts['machines'];
}

/** Tells where to read the gateway's own state. A missing binding shows when it is asked. */
export function healthPorts({
  origin,
  env,
  owner,
  gate,
  events,
  memory,
  mirror,
  machines,
}: Wiring): HealthPorts {
  const { GITHUB_REPO: repo } = env;
  return {
    version: VERSION,
    origin,
    settings: {
      owner_key: Boolean(env.OWNER_KEY_HASH),
      memory_key: Boolean(env.MEMORY_KEY),
      search: searchIn(env),
      github: repo ? { repo, secret: Boolean(env.GITHUB_WEBHOOK_SECRET) } : null,
    },
    storage: {
      OAUTH_KV: async () => bound(env.OAUTH_KV).get(NOTHING),
      BLOBS: async () => bound(env.BLOBS).head(NOTHING),
      OWNER: async () => owner().passkeys(),
      GATE: async () => gate().rules(),
      MEMORY: async () => memory().state(),
      MIRROR: async () => mirror().status(),
      EVENTS: async () => events().since(null),
    },
    memory: async () => memory().state(),
    mirror: async () => mirror().status(),
    yesterday: async () => gate().yesterday(),
    machines: async () => machines(),
    now: Date.now,
  };
}

function bound<T>(binding: T | undefined): T {
  if (binding === undefined) throw new Error('the gateway has no such binding');
  return binding;
}

function searchIn({ SEARCH_BACKEND, LITELLM_URL, SEARXNG_URL, AI }: Wiring['env']): string | null {
  if (SEARCH_BACKEND) return SEARCH_BACKEND;
  if (LITELLM_URL) return 'litellm';
  if (SEARXNG_URL) return 'searxng';
  return AI ? 'cloudflare' : null;
}
