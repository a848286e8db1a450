import { isWithin } from '../core/clock.ts';
import { objectionTo } from './address.ts';
import { type FetchPorts, fetchPublic } from './fetch-public.ts';

/** Tells whether a site lets programs read a page that nobody but a model chose. */
export type Robots = (url: string, signal: AbortSignal) => Promise<boolean>;

interface Rule {
  readonly allows: boolean;
  readonly path: string;
}

/** The name by which a site speaks to this reader in its robots.txt. */
const NAME = 'bowline';
const MOST_BYTES = 500_000;
const MOST_RULES = 2_000;
const TIMEOUT_MS = 4_000;
const KEEP_MS = 60 * 60_000;
/** The time until a site that did not answer is asked again. */
const ASK_AGAIN_MS = 60_000;
const MOST_SITES = 200;

/** Reads the rules for this reader: those under its own name, else those for everybody. */
export function rulesIn(text: string): Rule[] {
  const own: Rule[] = [];
  const common: Rule[] = [];
  let isNamed = false;
  let groups: Rule[][] = [];
  let inRules = true;
  for (const line of text.split(/\r\n?|\n/)) {
    const [key = '', ...rest] = (line.split('#', 1)[0] ?? '').split(':');
    const value = rest.join(':').trim();
    switch (key.trim().toLowerCase()) {
      case 'user-agent': {
        if (inRules) groups = [];
        inRules = false;
        const name = value.toLowerCase();
        if (name === NAME) isNamed = true;
        if (name === NAME) groups.push(own);
        else if (name === '*') groups.push(common);
        break;
      }
      case 'allow':
      case 'disallow':
        inRules = true;
        for (const group of groups)
          if (value !== '' && group.length < MOST_RULES)
            group.push({ allows: key.trim().toLowerCase() === 'allow', path: value });
        break;
    }
  }
  return isNamed ? own : common;
}

/** Matches a path from its start. `*` stands for anything, and `$` for the end. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    const found = isWhole && isLast ? path.length - part.length : path.indexOf(part, at);
    if (found < at || !path.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return !isWhole || at === path.length;
}

/** Writes each character of a path in one way, so that `/%70rivate` is `/private`. */
function plainPath(path: string): string {
  return path
    .replace(/%([0-9a-f]{2})/gi, (whole, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : whole.toUpperCase();
    })
    .replace(/[^ -~]+/g, (text) => encodeURI(text.toWellFormed()));
}

/** Lets the longest rule that fits decide. A page without one may be read. */
export function allowsPath(rules: readonly Rule[], path: string): boolean {
  const asked = plainPath(path);
  const fitting = rules.filter((rule) => matches(plainPath(rule.path), asked));
  const [best] = fitting.sort((a, b) => b.path.length - a.path.length || Number(b.allows) - Number(a.allows));
  return best?.allows ?? true;
}

/** Asks sites for their robots.txt, once an hour each. A site without one lets everything be read. */
export function robotsBy(
  setting: string | undefined,
  pages: FetchPorts,
  now: () => number = Date.now,
): Robots {
  if (setting === 'ignore') return async () => true;
  const known = new Map<
    string,
    { readonly rules: readonly Rule[]; readonly at: number; readonly keptMs: number }
  >();
  return async (address, signal) => {
    if (!URL.canParse(address)) return true;
    const url = new URL(address);
    // A developer's own server, or an address that is refused in any case.
    if (objectionTo(url)) return true;
    let site = known.get(url.origin);
    if (!site || !isWithin(site.keptMs, site.at, now())) {
      const request = {
        url: `${url.origin}/robots.txt`,
        maxBytes: MOST_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
      };
      const fetched = await fetchPublic({ ...request, overflow: 'cut' }, pages);
      // The caller left before the site answered, so the next call asks again.
      if (signal.aborted) return false;
      const isThere = fetched.kind === 'fetched' && fetched.status === 200;
      const rules = isThere ? rulesIn(new TextDecoder().decode(fetched.bytes)) : [];
      const isAnswered = fetched.kind === 'fetched' && fetched.status < 500;
      site = { rules, at: now(), keptMs: isAnswered ? KEEP_MS : ASK_AGAIN_MS };
      known.delete(url.origin);
      known.set(url.origin, site);
      for (const origin of known.keys()) if (known.size > MOST_SITES) known.delete(origin);
    }
    return allowsPath(site.rules, `${url.pathname}${url.search}`);
  };
}
