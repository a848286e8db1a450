/**
 * Calls back with the place of every occurrence of some bytes, first to last, where none overlaps the one before. It
 * looks at each byte once, as Knuth, Morris and Pratt do: the system's own search takes hours for texts made against it,
 * and the machine does nothing else meanwhile.
 */
export function eachPlace(bytes: Uint8Array, wanted: Uint8Array, found: (at: number) => void): void {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < bytes.length; at++) {
    while (matched > 0 && bytes[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    found(at + 1 - matched);
    matched = 0;
  }
}

/** Gives for each beginning of some bytes how much of its own beginning it ends with. */
function bordersOf(wanted: Uint8Array): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length++;
    borders[at] = length;
  }
  return borders;
}
