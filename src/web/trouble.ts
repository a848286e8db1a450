/** A page that has something else in place of text. */
export interface Trouble {
  readonly message: string;
  readonly suggestion: string;
}

/** A page that cannot be read as it was asked for. Without a message, that of the code says enough. */
export interface Unreadable extends Partial<Trouble> {
  readonly kind: 'unreadable';
  readonly code:
    | 'fetch_failed'
    | 'parse_failed'
    | 'no_such_section'
    | 'invalid_selector'
    | 'no_such_element'
    | 'selector_too_slow';
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of the page, as text. */
  readonly head: string;
}

const CHALLENGE =
  /_cf_chl_opt|\/cdn-cgi\/challenge-platform\/|<title>\s*(?:Just a moment|Attention Required! \| Cloudflare|DDoS-Guard|Pardon Our Interruption|Access to this page has been denied)|captcha-delivery\.com|_Incapsula_Resource|px-captcha|_pxAppId|awsWafCookieDomainList|sucuri_cloudproxy_js|Checking if the site connection is secure|Making sure you(?:'|&#39;)re not a bot/i;
const CHALLENGE_HEADERS: readonly (readonly [string, RegExp])[] = [
  ['cf-mitigated', /challenge/i],
  ['x-amzn-waf-action', /challenge|captcha/i],
  ['x-datadome', /./],
];

const BOT_CHECK: Trouble = {
  message: 'The site answers with a check for robots (a bot challenge) and not with the page.',
  suggestion: 'Open the page in a browser, or look for the same text on another site.',
};
const WALLS: Readonly<Record<'consent' | 'error', Trouble>> = {
  consent: {
    message: 'The page asks for consent to cookies and shows nothing else.',
    suggestion: 'Open the page in a browser, or look for the same text on another site.',
  },
  error: {
    message: 'The page only says that something went wrong or is not there.',
    suggestion: 'Check the address, or search for the page.',
  },
};

/** Tells whether an answer is a check for robots, as a page of its own or with an error. */
export function challengeIn({ status, headers, head }: Answer): Trouble | undefined {
  const isRefusal = status >= 400 || status === 202;
  const said = CHALLENGE_HEADERS.some(([name, value]) => value.test(headers.get(name) ?? ''));
  // A whole page may only mention such a check, or carry the script of one that it does not use.
  const isStub = isRefusal || head.length < 30_000;
  if (!(said && isRefusal) && !(isStub && CHALLENGE.test(head) && !hasProse(head))) return undefined;
  return BOT_CHECK;
}

/** Says what went wrong according to an HTTP status, if it tells. */
export function statusTrouble(status: number, headers: Headers): Trouble | undefined {
  if (status >= 200 && status < 300 && status !== 204 && status !== 205) return undefined;
  if (status === 401 || status === 407) {
    return {
      message: `The server wants a sign-in (HTTP ${status}).`,
      suggestion: 'Bowline signs in nowhere; use a public address.',
    };
  }
  if (status === 204 || status === 205) {
    return {
      message: `The server answers that there is nothing (HTTP ${status}).`,
      suggestion: 'Check the address.',
    };
  }
  if (status === 404 || status === 410) {
    return {
      message: `There is no such page (HTTP ${status}).`,
      suggestion: 'Check the address, or search for the page.',
    };
  }
  if (status === 429) {
    const after = /^\d{1,5}$/.exec(headers.get('retry-after') ?? '')?.[0];
    return {
      message: 'The server says that it was asked too often (HTTP 429).',
      suggestion: after ? `Try again in ${after} seconds.` : 'Try again later.',
    };
  }
  const who = status >= 500 ? 'The server failed' : 'The server refused the request';
  return { message: `${who} (HTTP ${status}).`, suggestion: 'Check the address, or try again later.' };
}

export interface Read {
  readonly html: string;
  readonly text: string;
  readonly url: string;
  /** The wall in place of the page's text, as far as anybody can tell. */
  readonly wall?: 'bot' | 'login' | 'consent' | 'error';
}

const ENOUGH_CHARS = 250;

/** Says why a page has next to no text: a sign-in, frames, scripts. Gives `undefined` if the page is fine. */
export function emptiness({ html, text, url, wall }: Read): Trouble | undefined {
  if (text.length >= ENOUGH_CHARS) return undefined;
  if (wall === 'bot') return BOT_CHECK;
  if (wall === 'consent' || wall === 'error') return WALLS[wall];
  if (
    wall === 'login' ||
    /<input[^<>]{1,400}?type\s?=\s?["']?password/i.test(html) ||
    /\/(?:log-?in|sign-?in|sso|auth)\b/i.test(pathOf(url))
  ) {
    return {
      message: 'The page is a sign-in form (a login wall).',
      suggestion: 'Bowline signs in nowhere; use a public address.',
    };
  }
  const frames = [
    ...html.matchAll(/<i?frame[^<>]{1,400}?src\s?=\s?["']?(https?:\/\/[^"'\s>]{1,2000}|[^"'\s>:]{1,2000})/gi),
  ];
  const [frame] = frames.map(([, src = '']) => resolved(src, url)).filter(Boolean);
  if (/<frameset/i.test(html) || (frame !== undefined && text === '')) {
    return {
      message: 'The page only holds frames, and its text is in them.',
      suggestion: frame ? `Fetch the frame: ${frame}` : 'Fetch the address of the frame.',
    };
  }
  if (text !== '') return undefined;
  const scripts = html.match(/<script\b/gi)?.length ?? 0;
  if (scripts > 0) {
    return {
      message: 'The page has no text of its own: scripts build it in the browser.',
      suggestion: 'Look for another version of it, such as a feed, an API or a print page.',
    };
  }
  return { message: 'The page is empty.', suggestion: 'Check the address.' };
}

/** Tells whether there is text of an article's length between the tags. */
function hasProse(html: string): boolean {
  const text = html.replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, '').replace(/<[^<>]*>/g, ' ');
  return text.replace(/\s+/g, ' ').length > 2_000;
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '';
}

function resolved(src: string, base: string): string {
  return URL.canParse(src, base) ? new URL(src, base).href : '';
}
