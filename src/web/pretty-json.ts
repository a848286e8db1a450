const MAX_DEPTH = 64;
/** The limit for the input: laid out, small values take many times their room in memory. */
const MAX_CHARS = 1_000_000;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Lays JSON out in lines and keeps the spelling of every value, because a number may be longer than a double
 * holds. Gives `undefined` if it is not JSON, is too long, or is too deep for a reasonable width.
 */
export function prettyJson(text: string): string | undefined {
  if (text.length > MAX_CHARS || !isJson(text)) return undefined;
  const out: string[] = [];
  let depth = 0;
  let previous = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = previous === '{' || previous === '[';
    if (closes ? !opened : opened || previous === ',') out.push('\n', '  '.repeat(depth));
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    if (depth > MAX_DEPTH) return undefined;
    previous = token;
  }
  return out.join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON, whatever its type says. The caller shows the text as it is.
    return false;
  }
}
