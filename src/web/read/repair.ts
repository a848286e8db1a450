/** The longest markup, without scripts, that is read. No page for people is longer. */
export const MAX_MARKUP = 2_000_000;
/** Deeper nesting is flattened before parsing, because depth makes parsers slow. */
const MAX_NESTING = 600;
/** Longer style sheets belong to a framework and do not hide this page's text. */
const MAX_STYLE = 200_000;

/** In XHTML, and only there, an element may end in its own tag. */
const XHTML = /^\s*<\?xml\b|<html[^<>]{1,300}\bxmlns\s{0,3}=/i;
/** Scripts in which frameworks leave a page's contents. */
const APP_DATA = /\bid\s*=\s*["']?__(?:NEXT|NUXT)_DATA__/i;
const MAX_DATA = 1_500_000;

/** Elements that hold no others, or that the next one of their kind closes. They add no depth. */
const NO_DEPTH = new Set([
  ...[
    'area',
    'base',
    'br',
    'col',
    'embed',
    'hr',
    'img',
    'input',
    'link',
    'meta',
    'param',
    'source',
    'track',
    'wbr',
  ],
  ...['p', 'li', 'dt', 'dd', 'td', 'th', 'tr', 'tbody', 'thead', 'tfoot', 'option', 'optgroup', 'rt', 'rp'],
  ...['html', 'head', 'body', 'script', 'style', 'title', 'textarea', 'frame', 'iframe', 'path'],
]);

/** Cuts pieces out of a string in one pass, however many there are. */
function without(html: string, next: (from: number) => { start: number; end: number } | undefined): string {
  const kept: string[] = [];
  let from = 0;
  for (let cut = next(0); cut; cut = next(from)) {
    kept.push(html.slice(from, cut.start));
    from = cut.end;
    if (from >= html.length) break;
  }
  kept.push(html.slice(from));
  return kept.join(' ');
}

/**
 * Drops scripts and drawings: they are most of a page's bytes and hold none of its text. Keeps JSON-LD and
 * style rules.
 */
function dropScripts(html: string): { html: string; scriptChars: number; data: string[] } {
  const data: string[] = [];
  let dataChars = 0;
  const isXml = XHTML.test(html.slice(0, 1_000));
  const opening = /<(script|style|svg)(?=[\s>/])/gi;
  const closings = { script: /<\/script/gi, style: /<\/style/gi, svg: /<\/svg/gi };
  const ended = new Set<string>();
  let scriptChars = 0;
  const kept = without(html, (from) => {
    opening.lastIndex = from;
    for (let open = opening.exec(html); open; open = opening.exec(html)) {
      const body = html.indexOf('>', open.index);
      if (body < 0) return undefined;
      const name = open[1]?.toLowerCase() as keyof typeof closings;
      const isScript = name === 'script';
      if (isXml && html[body - 1] === '/') return { start: open.index, end: body + 1 };
      closings[name].lastIndex = body;
      const found = ended.has(name) ? undefined : closings[name].exec(html)?.index;
      if (found === undefined) ended.add(name);
      // Drop only the tag of a drawing that never ends. A script that never ends runs to the page's end, in
      // browsers too.
      const close = found ?? (name === 'svg' ? body : html.length);
      const closed = html.indexOf('>', close);
      const end = closed < 0 ? html.length : closed + 1;
      const attrs = html.slice(open.index, Math.min(body, open.index + 500));
      if (
        isScript
          ? /ld\+json|type\s*=\s*["']?math\/tex/i.test(attrs)
          : name === 'style' && close - body < MAX_STYLE
      ) {
        opening.lastIndex = end;
        continue;
      }
      if (isScript && APP_DATA.test(attrs) && dataChars + close - body < MAX_DATA) {
        data.push(html.slice(body + 1, close));
        dataChars += close - body;
      }
      if (isScript) scriptChars += close - body + (/\ssrc\s*=/i.test(attrs) ? 1_000 : 0);
      return { start: open.index, end };
    }
    return undefined;
  });
  return { html: kept, scriptChars, data };
}

/** Drops comments. Of one that never ends, drops only the opening, because it would hide the whole page. */
function dropComments(html: string): string {
  let endless = false;
  return without(html, (from) => {
    const start = html.indexOf('<!--', from);
    if (start < 0) return undefined;
    if (html.startsWith('<!-->', start)) return { start, end: start + 5 };
    const close = endless ? -1 : html.indexOf('-->', start + 4);
    endless = close < 0;
    return { start, end: endless ? start + 4 : close + 3 };
  });
}

const LONGEST_NAME = 31;
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;
/** Gives the name of the tag at a place in lower case, or at least its beginning. */
function nameAt(html: string, start: number): string {
  let end = start;
  for (let code = html.charCodeAt(end); end < start + LONGEST_NAME; code = html.charCodeAt(++end)) {
    const goesOn = isLetter(code) || (end > start && ((code >= 48 && code <= 58) || code === 45));
    if (!goesOn) break;
  }
  return html.slice(start, end).toLowerCase();
}

/** Drops opening and closing tags beyond the greatest nesting. Their text stays. */
function flatten(html: string): string {
  const deep: { start: number; end: number }[] = [];
  let depth = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const closes = html[at + 1] === '/';
    const name = nameAt(html, closes ? at + 2 : at + 1);
    if (name === '' || NO_DEPTH.has(name)) continue;
    const beyond = closes ? depth-- > MAX_NESTING : ++depth > MAX_NESTING;
    if (depth < 0) depth = 0;
    if (!beyond) continue;
    const close = html.indexOf('>', at);
    if (close < 0) break;
    deep.push({ start: at, end: close + 1 });
    at = close;
  }
  if (deep.length === 0) return html;
  let i = 0;
  return without(html, () => deep[i++]);
}

/** Markup that a forgiving parser can read whole, and what the repair removed. */
interface Repaired {
  readonly html: string;
  /** The amount of script in the page. */
  readonly scriptChars: number;
  /** The contents of its scripts that are data: a page that scripts build may have its text there. */
  readonly data: readonly string[];
  readonly truncated: boolean;
}

/**
 * Repairs the text of a page before parsing: scripts, endless comments, stray CDATA, size and depth. Any of
 * these could cost a parser the whole page.
 */
export function repair(source: string): Repaired {
  const {
    html: bare,
    scriptChars,
    data,
  } = dropScripts(source.includes('\0') ? source.replaceAll('\0', '') : source);
  // In HTML, a CDATA mark starts a comment that may run to the end of the page.
  const html = dropComments(bare).replaceAll('<![CDATA[', ' ').replaceAll(']]>', ' ');
  const truncated = html.length > MAX_MARKUP;
  return { html: flatten(truncated ? html.slice(0, MAX_MARKUP) : html), scriptChars, data, truncated };
}
