const WAIT = /\b(?:vi\.waitFor|vi\.waitUntil|expect\s*\.poll)\(/g;
const LONG_ENOUGH = /SOON_MS|WITHIN_MS|\b(?:[2-9]\d|\d{3,})_000\b/;

/**
 * Lines that wait for something, and give up too early on a busy machine. Vitest itself waits for one second: say
 * `SOON_MS`, or at least twenty seconds. A shorter time that the product promises is called `WITHIN_MS`.
 */
export function hastyWaits(text: string): number[] {
  return [...text.matchAll(WAIT)].flatMap(({ index, 0: name }) => {
    const call = text.slice(index, endOfCall(text, index + name.length));
    return LONG_ENOUGH.test(call) ? [] : [text.slice(0, index).split('\n').length];
  });
}

function endOfCall(text: string, start: number): number {
  let depth = 1;
  let at = start;
  for (; depth > 0 && at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++;
    if (')]}'.includes(text[at] ?? '')) depth--;
  }
  return at;
}
