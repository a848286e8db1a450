/** What the packed parts of a PDF may come to: a reader holds them in memory one after the other. */
export const MAX_UNPACKED_BYTES = 64_000_000;
/** What its pictures may: no reader of text unpacks them, but anything can be called a picture. */
const MAX_PICTURE_BYTES = 256_000_000;
/** As much as a packed byte can come to, and a little more. */
const MOST_A_BYTE = 1_040;

const OPENING = /\bstream(?:\r\n|\n|\r)/g;
/** How a part says that it is packed: by name, one after the other, or somewhere else in the file. */
const FILTERS = /\/(?:Filter|F)\s?(\d+ \d+ R|\[[^\]]{0,300})/g;
const PACKER = /\/(?:FlateDecode|LZWDecode|RunLengthDecode|Fl|LZW|RL)\b/g;

/** Whether a small file unpacks to more than can be held. */
export async function unpacksTooLarge(bytes: Uint8Array): Promise<boolean> {
  if (bytes.byteLength * MOST_A_BYTE <= MAX_UNPACKED_BYTES) return false;
  const text = new TextDecoder('latin1').decode(bytes);
  let left = MAX_UNPACKED_BYTES;
  let leftForPictures = MAX_PICTURE_BYTES;
  for (const match of text.matchAll(OPENING)) {
    const object = text.lastIndexOf(' obj', match.index);
    const head = text.slice(Math.max(object, match.index - 4_000), match.index).replace(/\s+/g, ' ');
    if (isUntold(head)) return true;
    const start = match.index + match[0].length;
    const closing = text.indexOf('endstream', start);
    const packed = bytes.subarray(start, closing < 0 ? bytes.byteLength : closing);
    if (/\/Subtype\s*\/Image\b/.test(head)) leftForPictures -= await unpacked(packed, leftForPictures);
    else left -= await unpacked(packed, left);
    if (left < 0 || leftForPictures < 0) return true;
  }
  return false;
}

/** Whether a part's size cannot be told before it is read: packed twice, or in a way that stands elsewhere. */
function isUntold(head: string): boolean {
  return [...head.matchAll(FILTERS)].some(([, how = '']) => {
    return !how.startsWith('[') || (how.match(PACKER)?.length ?? 0) > 1;
  });
}

/** How many bytes come out of a packed part, counted to just over a limit; none if it is packed otherwise. */
async function unpacked(packed: Uint8Array, limit: number): Promise<number> {
  const source = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  let count = 0;
  try {
    while (count <= limit) {
      const { done, value } = await reader.read();
      if (done) return count;
      count += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // Not packed this way, or damaged from here on: what came out so far is what a reader gets.
  }
  return count;
}
