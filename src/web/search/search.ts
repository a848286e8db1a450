import { type Search, type SearchPorts, type SearchSettings, unset } from './backend.ts';
import { cloudflareSearch } from './cloudflare.ts';
import { liteLlmSearch } from './litellm.ts';
import { searxngSearch } from './searxng.ts';

/** Gives the search that the settings name, or one that says which setting is missing. */
export function searchBy(settings: SearchSettings, ports: SearchPorts): Search {
  const backend = settings.SEARCH_BACKEND || guessed(settings, ports);
  switch (backend) {
    case 'litellm':
      return liteLlmSearch(settings, ports);
    case 'searxng':
      return searxngSearch(settings, ports);
    case 'cloudflare':
      return cloudflareSearch(settings, ports);
    case undefined:
      return unset(
        'Set LITELLM_URL, LITELLM_KEY and LITELLM_SEARCH_TOOL, or SEARXNG_URL, or SEARCH_BACKEND=cloudflare with an AI binding.',
      );
    default:
      return unset('Set SEARCH_BACKEND to litellm, searxng or cloudflare.');
  }
}

function guessed(settings: SearchSettings, { ai }: SearchPorts): string | undefined {
  if (settings.LITELLM_URL) return 'litellm';
  if (settings.SEARXNG_URL) return 'searxng';
  return ai ? 'cloudflare' : undefined;
}
