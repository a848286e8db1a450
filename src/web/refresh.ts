/** The longest wait of a page that counts as a redirect. A page that leads on later is read itself. */
const LONGEST_WAIT_S = 5;
const HEAD_BYTES = 64_000;
const META = /<meta\b[^<>]{1,1000}>/gi;
const REFRESH = /\bhttp-equiv\s{0,9}=\s{0,9}["']?refresh\b/i;
const CONTENT = /\bcontent\s{0,9}=\s{0,9}(?:"([^"]{1,900})"|'([^']{1,900})')/i;
const TARGET = /^\s*(\d{1,6})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?\s*([^"'\s][^"']*)/i;

/**
 * Finds the address to which a page leads on by itself (`<meta http-equiv="refresh">`). What stands in
 * `noscript` leads to a page that says that scripts are missing.
 */
export function refreshIn(bytes: Uint8Array, url: string): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  if (!/http-equiv\s*=\s*["']?refresh/i.test(head)) return undefined;
  const seen = withoutParts(withoutParts(head, '<!--', '-->'), '<noscript', '</noscript');
  const meta = [...seen.matchAll(META)].map(([tag]) => tag).find((tag) => REFRESH.test(tag));
  const [, double, single] = CONTENT.exec(meta ?? '') ?? [];
  const [, seconds, target = ''] = TARGET.exec((double ?? single ?? '').replaceAll('&amp;', '&')) ?? [];
  if (seconds === undefined || Number(seconds) > LONGEST_WAIT_S || !URL.canParse(target, url))
    return undefined;
  const next = new URL(target, url);
  next.hash = '';
  // A page that only loads itself again stays the same.
  return next.href === url ? undefined : next.href;
}

/** Cuts out all from each beginning to its end. */
function withoutParts(text: string, start: string, end: string): string {
  const [first = '', ...parts] = text.toLowerCase().includes(start) ? splitAt(text, start) : [text];
  return parts.reduce((kept, part) => {
    const close = part.toLowerCase().indexOf(end);
    return close < 0 ? kept : kept + part.slice(close + end.length);
  }, first);
}

function splitAt(text: string, mark: string): string[] {
  const lower = text.toLowerCase();
  const parts: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(mark); at >= 0; at = lower.indexOf(mark, from)) {
    parts.push(text.slice(from, at));
    from = at + mark.length;
  }
  return [...parts, text.slice(from)];
}
