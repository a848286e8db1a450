import { objectionTo } from './address.ts';
import type { ReadFrom } from './answer-page.ts';
import type { FetchPorts } from './fetch-public.ts';
import type { Fetch } from './guarded-fetch.ts';
import { Readings, type Rendering } from './readings.ts';
import { type Robots, robotsBy } from './robots.ts';
import type { AiBinding, Search, SearchSettings } from './search/backend.ts';
import { searchBy } from './search/search.ts';

/** The dependencies of the web's tools, on either side. */
export interface WebPorts {
  readonly pages: FetchPorts;
  readonly webSearch: Search;
  readonly robots: Robots;
  /** Pages whose text was given in part, for the calls that ask for the rest. */
  readonly readings: Readings<ReadFrom & { readonly rendering: Rendering }>;
}

export interface WebSettings extends SearchSettings {
  /** Origins of a developer's test pages, separated by commas. */
  readonly DEV_FETCH_ORIGINS?: string | undefined;
  /** `ignore` to read pages whatever the robots.txt of their sites says. */
  readonly FETCH_ROBOTS?: string | undefined;
}

export interface Fetches {
  /** For addresses from anywhere. */
  readonly guarded: Fetch;
  /** For addresses in the owner's own settings. */
  readonly open: Fetch;
  readonly ai?: AiBinding | undefined;
}

/** Makes the ports from the settings. */
export function makeWebPorts(settings: WebSettings, { guarded, open, ai }: Fetches): WebPorts {
  const pages = pagePorts(settings.DEV_FETCH_ORIGINS, guarded, open);
  return {
    pages,
    robots: robotsBy(settings.FETCH_ROBOTS, pages),
    readings: new Readings(),
    webSearch: searchBy(settings, { fetch: open, ai }),
  };
}

/**
 * Gives the fetches for pages: `guarded` for the whole web, `open` for the origins of a developer's own test
 * servers, each written out whole in `DEV_FETCH_ORIGINS`. Only developers set it.
 */
export function pagePorts(setting: string | undefined, guarded: Fetch, open: Fetch): FetchPorts {
  const origins = originsIn(setting);
  if (origins.size === 0) return { fetch: guarded };
  const isOpen = (url: URL) => origins.has(url.origin) && url.username === '' && url.password === '';
  return {
    rule: (url) => (isOpen(url) ? undefined : objectionTo(url)),
    fetch: (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      return isOpen(url) ? open(input, init) : guarded(input, init);
    },
  };
}

/** Reads the origins of a list of addresses, separated by commas. */
export function originsIn(setting: string | undefined): Set<string> {
  const addresses = (setting ?? '').split(',').map((text) => text.trim());
  return new Set(
    addresses.flatMap((text) => {
      return /^https?:/.test(text) && URL.canParse(text) ? [new URL(text).origin] : [];
    }),
  );
}
