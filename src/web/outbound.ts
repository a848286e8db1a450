import { inPlainWords } from './fetch-errors.ts';
import { BlockedUrl, type Fetch } from './guarded-fetch.ts';
import { originsIn, type WebSettings } from './web-ports.ts';

export interface OutboundSettings extends WebSettings {
  /** The address of the language model. */
  readonly LANGUAGE_URL?: string | undefined;
  /** `yes` if the platform connects fetches to public addresses alone, whatever a host name resolves to. */
  readonly FETCHES_STAY_PUBLIC?: string;
  /**
   * Reaches the whole network of the owner. Set only where the platform keeps every other fetch out of it.
   */
  readonly INSIDE?: { readonly fetch: Fetch };
}

/**
 * Gives the fetch for addresses that somebody else may have chosen. A Worker cannot see what a name resolves
 * to. Where the platform does not check either, only addresses in digits are fetched, which can be judged as
 * they stand.
 */
export function outwardFetch({ FETCHES_STAY_PUBLIC }: OutboundSettings, fetch: Fetch): Fetch {
  return async (input, init) => {
    const { origin, hostname } = new URL(input instanceof Request ? input.url : input);
    if (FETCHES_STAY_PUBLIC !== 'yes' && isName(hostname))
      throw new BlockedUrl(`${origin} is not fetched: ${UNSEEN}`);
    try {
      return await fetch(input, init);
    } catch (error) {
      throw inPlainWords(error, origin);
    }
  };
}

const UNSEEN =
  'this gateway cannot see whether the name leads inside its network. Start the gateway with `npm start` or deploy it ' +
  'with `bowline deploy`. FETCHES_STAY_PUBLIC=yes has it fetch all names, also those that lead inside.';

/**
 * Gives the fetch for the services in the owner's settings, which may be inside. It reaches no other origin
 * inside.
 */
export function serviceFetch({ INSIDE, ...settings }: OutboundSettings, fetch: Fetch): Fetch {
  if (!INSIDE) return fetch;
  const { LITELLM_URL, SEARXNG_URL, LANGUAGE_URL, DEV_FETCH_ORIGINS } = settings;
  const origins = originsIn([LITELLM_URL, SEARXNG_URL, LANGUAGE_URL, DEV_FETCH_ORIGINS].join());
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    // A redirect followed from here could lead anywhere inside.
    const how = { ...init, redirect: 'manual' } as const;
    return origins.has(origin) ? INSIDE.fetch(input, how) : fetch(input, how);
  };
}

function isName(hostname: string): boolean {
  return !hostname.startsWith('[') && !/^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
