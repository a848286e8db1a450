import { inPlainWords } from './fetch-errors.ts';
import { BlockedUrl, type Fetch } from './guarded-fetch.ts';
import { originsIn, type WebSettings } from './web-ports.ts';

export interface OutboundSettings extends WebSettings {
  /** Where the language model is. */
  readonly LANGUAGE_URL?: string | undefined;
  /** `yes` where the platform connects a fetch to public addresses alone, whatever its host name resolves to. */
  readonly FETCHES_STAY_PUBLIC?: string;
  /** Reaches all of the owner's network. It is there where the platform keeps every other fetch out of it. */
  readonly INSIDE?: { readonly fetch: Fetch };
}

/**
 * The fetch for addresses that somebody else may have chosen. A Worker cannot see what a name resolves to, so that
 * where the platform does not look either, only addresses in digits are left, which are judged as they stand.
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

/** The fetch for the services that the owner's settings name, which may be inside. It leads inside to no other origin. */
export function serviceFetch({ INSIDE, ...settings }: OutboundSettings, fetch: Fetch): Fetch {
  if (!INSIDE) return fetch;
  const { LITELLM_URL, SEARXNG_URL, LANGUAGE_URL, DEV_FETCH_ORIGINS } = settings;
  const origins = originsIn([LITELLM_URL, SEARXNG_URL, LANGUAGE_URL, DEV_FETCH_ORIGINS].join());
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    // A redirect would be followed inside, wherever it leads.
    const how = { ...init, redirect: 'manual' } as const;
    return origins.has(origin) ? INSIDE.fetch(input, how) : fetch(input, how);
  };
}

function isName(hostname: string): boolean {
  return !hostname.startsWith('[') && !/^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
