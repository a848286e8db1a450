/** More markup than this, once scripts are gone, is cut: no page a person reads is longer. */
export const MAX_MARKUP = 2_000_000;
/** Nesting beyond this is flattened before parsing: parsers grow slow with depth. */
const MAX_NESTING = 600;
/** Longer style sheets are a framework's, not rules that hide this page's text. */
const MAX_STYLE = 200_000;

/** Elements that never hold others, or that the next of their kind closes; they add no depth. */
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

/** Cuts pieces out of a string, all in one pass however many there are. */
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

/** Scripts and drawings hold most of a page's bytes and none of its text; JSON-LD and style rules are kept. */
function dropScripts(html: string): { html: string; scriptChars: number } {
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
      closings[name].lastIndex = body;
      const found = ended.has(name) ? undefined : closings[name].exec(html)?.index;
      if (found === undefined) ended.add(name);
      // A drawing that never ends is only its own tag; a browser, too, reads an endless script to the end.
      const close = found ?? (name === 'svg' ? body : html.length);
      const closed = html.indexOf('>', close);
      const end = closed < 0 ? html.length : closed + 1;
      const attrs = html.slice(open.index, Math.min(body, open.index + 500));
      if (isScript ? /ld\+json/i.test(attrs) : name === 'style' && close - body < MAX_STYLE) {
        opening.lastIndex = end;
        continue;
      }
      if (isScript) scriptChars += close - body + (/\ssrc\s*=/i.test(attrs) ? 1_000 : 0);
      return { start: open.index, end };
    }
    return undefined;
  });
  return { html: kept, scriptChars };
}

/** A comment that never ends would swallow the page: its opening alone is dropped. */
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

/** Drops the tags beyond the greatest nesting, opening and closing alike; their text stays. */
function flatten(html: string): string {
  const deep: { start: number; end: number }[] = [];
  const tags = /<(\/?)([a-z][a-z0-9:-]{0,30})/gi;
  let depth = 0;
  for (let tag = tags.exec(html); tag; tag = tags.exec(html)) {
    if (NO_DEPTH.has(tag[2]?.toLowerCase() ?? '')) continue;
    const beyond = tag[1] ? depth-- > MAX_NESTING : ++depth > MAX_NESTING;
    if (depth < 0) depth = 0;
    if (!beyond) continue;
    const close = html.indexOf('>', tag.index);
    if (close < 0) break;
    deep.push({ start: tag.index, end: close + 1 });
    tags.lastIndex = close + 1;
  }
  if (deep.length === 0) return html;
  let i = 0;
  return without(html, () => deep[i++]);
}

/** Markup that a forgiving parser reads whole, with what it lost on the way. */
export interface Repaired {
  readonly html: string;
  /** How much script the page came with. */
  readonly scriptChars: number;
  readonly truncated: boolean;
}

/** Mends by string what would cost a parser the page: scripts, endless comments, stray CDATA, size and depth. */
export function repair(source: string): Repaired {
  const { html: bare, scriptChars } = dropScripts(
    source.includes('\0') ? source.replaceAll('\0', '') : source,
  );
  // In HTML a CDATA mark starts a comment, which may run to the end of the page.
  const html = dropComments(bare).replace(/<!\[CDATA\[|\]\]>/g, ' ');
  const truncated = html.length > MAX_MARKUP;
  return { html: flatten(truncated ? html.slice(0, MAX_MARKUP) : html), scriptChars, truncated };
}
