/** The tools that fetch the address in their argument `url`. */
const FETCHING: ReadonlySet<string> = new Set(['web_fetch', 'fetch_webpage']);

interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Gives the address of a call that fetches, as what fetches it reads it: one page has many spellings, and a rule knows
 * only some. Left are those that people write: with its fragment and without, and a site without its slash. Gives
 * `undefined` for other calls.
 */
export function fetchedAs({ tool, args: { url } }: ToolCall): readonly string[] | undefined {
  if (!FETCHING.has(tool) || typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const read = new URL(url);
  read.username = '';
  read.password = '';
  read.hostname = read.hostname.replace(/(?<!\.)\.+$/, '');
  const whole = [read.href, plain(read.href)];
  const pages = [...whole, ...whole.map((one) => one.replace(/#.*$/s, ''))];
  return [...new Set([...pages, ...pages.map(withoutSlash)])];
}

/** Writes the characters that need no percent sign without one (RFC 3986, 6.2.2.2). */
function plain(address: string): string {
  return address.replace(/%([2-7][\dA-F])/gi, (code, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : code;
  });
}

function withoutSlash(address: string): string {
  return address.replace(/^(https?:\/\/[^/?#]+)\/$/, '$1');
}
