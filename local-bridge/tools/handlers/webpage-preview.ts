import type { Fact } from '../../../contracts/preview.ts';
import type { fetchWebpage } from '../../../contracts/webpage.ts';
import { plainFact } from '../../../src/core/plain-fact.ts';
import type { Previewer } from '../../../src/core/preview.ts';
import { objectionTo } from '../../../src/web/address.ts';
import { BlockedUrl } from '../../../src/web/guarded-fetch.ts';
import { objectionToSelector } from '../../../src/web/selector.ts';
import { addressesOf } from '../web/machine-fetch.ts';
import type { WebpagePorts } from './webpage.ts';

/** Says where an address leads. It only asks name servers. */
const previewFetch: Previewer<typeof fetchWebpage, WebpagePorts> = async (
  { url: text, selector },
  call,
  { web, names },
) => {
  if (!URL.canParse(text)) return call.fail('invalid_url', 'Invalid URL format');
  const url = new URL(text);
  const objection = (web.rule ?? objectionTo)(url);
  if (objection) return call.fail('blocked_url', `${url.origin} is not fetched: ${objection}.`);
  const problem = await objectionToSelector(selector);
  if (problem !== undefined) return call.fail('invalid_selector', problem);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A developer's own test server may be anywhere.
  const anywhere = objectionTo(url) === undefined ? {} : { objectionTo: () => undefined };
  let leads: Fact;
  try {
    const addresses = await addressesOf(host, { ...names, ...anywhere });
    leads = plainFact(`The name ${host} leads to ${addresses.slice(0, 8).join(', ')}.`);
  } catch (error) {
    // Until the owner approves, a caller must not learn an address inside the owner's network.
    if (error instanceof BlockedUrl)
      return call.fail('blocked_url', `${host} is not fetched: it resolves to an address inside.`);
    const code =
      error instanceof Error && 'code' in error ? String(error.code) : 'the name server gave no answer';
    leads = plainFact(`The name ${host} leads nowhere at the moment (${code}).`, true);
  }
  const facts = [
    plainFact('This machine would fetch the page over its own network.'),
    leads,
    ...(url.protocol === 'http:' ? [plainFact('The connection is not encrypted.')] : []),
    ...(url.search === ''
      ? []
      : [plainFact(`The address carries ${url.search.length - 1} characters after its \`?\`.`)]),
  ];
  return { facts, files: [], diff: null, state: null };
};

/** Previewers by the names of their contracts. */
export const webpagePreviews = { fetch_webpage: previewFetch };
