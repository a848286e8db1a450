import { visible } from '../../../src/core/visible.ts';
import type { Answer, Answered } from './ask.ts';

/** A problem and its solution. */
export interface Trouble {
  readonly found: string;
  readonly cure: string;
}

/** The setting by which Cloudflare refuses programs before a request reaches the Worker. */
const AI_BOTS_CURE =
  "In Cloudflare's dashboard for this domain: Security › Bots › “Block AI bots” off, AI Crawl Control › allow this agent, and no challenge or WAF rule for /mcp, /oauth/* and /.well-known/*. A rule that skips the firewall does not switch “Block AI bots” off.";

/** Finds a problem that keeps every request from reaching the gateway. */
export function troubleOnTheWay(answer: Answer, agent: string, budgetMs: number): Trouble | undefined {
  if (answer.kind === 'nothing') return noAnswer(answer, budgetMs);
  if (isBlocked(answer)) {
    const what = isChallenge(answer) ? 'a challenge page for people' : 'a block';
    return {
      found: `The edge answers ${agent} with ${what} (${answer.status}), not the gateway.`,
      cure: AI_BOTS_CURE,
    };
  }
  if (answer.status >= 300 && answer.status < 400) {
    const to = answer.headers.get('location') ?? 'nowhere';
    return {
      found: `It redirects (${answer.status}) to ${visible(to, 200)}, which connectors do not follow.`,
      cure: 'Give the connector the address that it redirects to, or remove the redirect.',
    };
  }
  if (codeIn(answer) === 'forbidden_origin') {
    return {
      found: 'The gateway does not answer to this host name.',
      cure: 'Deploy with this address: `bowline deploy --url https://<the name>` sets PUBLIC_URL. Or add the name to ALLOWED_HOSTS.',
    };
  }
  if (answer.status >= 520 && answer.status <= 530) {
    return {
      found: `Cloudflare could not get an answer from the gateway (${answer.status}).`,
      cure: 'Is the Worker deployed, and does this host name lead to it? `npx wrangler tail` shows what it says.',
    };
  }
  return troubleInFront(answer, agent);
}

/** Finds what a proxy between this computer and the gateway does to a request. Bowline's own errors have a code. */
function troubleInFront(answer: Answered, agent: string): Trouble | undefined {
  const { status } = answer;
  if (status === 429) {
    const wait = answer.headers.get('retry-after');
    const by = codeIn(answer) === undefined ? 'Something in front of the gateway' : 'The gateway';
    return {
      found: `${by} refuses ${agent} for a while, because it asked too often (429).`,
      cure: `Wait ${wait ? `${visible(wait, 40)} seconds` : 'some minutes'}, then run doctor again. If apps meet this too, raise the limit for /mcp, /oauth/* and /.well-known/*.`,
    };
  }
  if ([502, 503, 504].includes(status) && codeIn(answer) === undefined) {
    return {
      found: `A proxy in front of the gateway gets no good answer from it (${status}).`,
      cure: 'Is the gateway running, and does the proxy send requests to its address and port?',
    };
  }
  if (status === 406) {
    return {
      found: `The Accept header of ${agent} does not arrive as it was sent (406).`,
      cure: 'Something in front of the gateway replaces it. Let the header Accept through unchanged.',
    };
  }
  return undefined;
}

const CUT = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function noAnswer(
  { code, why, isEncrypted }: Extract<Answer, { kind: 'nothing' }>,
  budgetMs: number,
): Trouble {
  if (code === 'SLOW') {
    return {
      found: `No answer within ${budgetMs / 1000} seconds. Connectors give up then.`,
      cure: 'Try again, because a first start can be slow. If it stays slow, `npx wrangler tail` shows what the gateway waits for.',
    };
  }
  if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'].includes(code)) {
    return {
      found: `The host name is not known (${code}).`,
      cure: 'Check the spelling. A new domain or workers.dev name takes a few minutes to be known.',
    };
  }
  if (code === 'ECONNREFUSED') {
    return {
      found: `Nobody listens there (${why}).`,
      cure: 'Is the gateway running? `bowline up` starts one here, `bowline deploy` one at Cloudflare.',
    };
  }
  if (!isEncrypted && CUT.includes(code)) {
    return {
      found: `The connection is cut before an answer comes (${code}).`,
      cure: 'Does this port expect https://? If not, a proxy, a firewall or a VPN on the way cuts it: let it through, or restart what listens there.',
    };
  }
  if (/SSL|TLS|CERT|EPROTO|SELF_SIGNED|ISSUER|ALTNAME|HPE_INVALID|UND_ERR_SOCKET/.test(code)) {
    return {
      found: `The encryption does not work (${code}: ${visible(why, 160)}).`,
      cure: 'Use https:// where the server speaks TLS, and http:// only on this computer. A certificate must be valid for exactly this name.',
    };
  }
  return {
    found: `It cannot be reached (${visible(why, 200)}).`,
    cure: 'Check the address and the network.',
  };
}

function isBlocked(answer: Answered): boolean {
  if (![401, 403, 429, 503].includes(answer.status)) return false;
  return isChallenge(answer) || (answer.json === undefined && BLOCKED.test(answer.text));
}

function isChallenge({ headers, text }: Answered): boolean {
  return headers.has('cf-mitigated') || CHALLENGE.test(text);
}

const CHALLENGE = /challenge-platform|cf-chl|<title>Just a moment|Enable JavaScript and cookies to continue/i;
const BLOCKED =
  /your request was blocked|sorry, you have been blocked|attention required!|error code: 10(?:06|07|08|09|10|15|20)|cf-error-details/i;

/** Reads the `code` of an answer by Bowline itself. */
export function codeIn({ json }: Answered): string | undefined {
  const code = typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
