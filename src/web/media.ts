/** The kinds of body, by how they can be read. `binary` is everything without text for a reader. */
type MediaKind = 'html' | 'text' | 'json' | 'json_feed' | 'xml_feed' | 'pdf' | 'binary';

export interface Media {
  readonly kind: MediaKind;
  /** Says, for a person, what an unreadable body is. */
  readonly what: string;
}

const HEAD_BYTES = 1_024;

/** Finds out what a body is: by its first bytes where they are clear, else by the server's type. */
export function mediaOf(bytes: Uint8Array, contentType: string): Media {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const head = latin1(bytes.subarray(0, HEAD_BYTES));
  const magic = MAGIC.find(([at, start]) => head.startsWith(start, at));
  // Readers of PDF accept a header that begins a little late.
  if (head.trimStart().startsWith('%PDF-') || (type === 'application/pdf' && head.includes('%PDF-'))) {
    return { kind: 'pdf', what: 'a PDF document' };
  }
  if (magic) return { kind: 'binary', what: magic[2] };
  // Text of two bytes per character has a zero beside every Latin letter. In other text a zero means binary.
  if (head.includes('\0') && !/^(?:\xff\xfe|\xfe\xff)/.test(head) && !/utf-?16/i.test(contentType)) {
    return { kind: 'binary', what: type === '' ? 'not text' : `of the type ${shown(type)}` };
  }
  return { kind: textKind(type, head), what: 'text' };
}

function textKind(type: string, head: string): MediaKind {
  const start = head.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '');
  const root = rootOf(start);
  if (type === 'text/plain' || type === 'text/markdown') return 'text';
  if (root === 'rss' || root === 'feed' || root === 'rdf:rdf') return 'xml_feed';
  if (type.endsWith('json'))
    return /"version"\s*:\s*"https:\/\/jsonfeed\.org\//.test(start) ? 'json_feed' : 'json';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (root === 'html' || /^\s*<!doctype html/i.test(start)) return 'html';
  const isUntold = type === '' || type === 'application/octet-stream' || type === 'unknown/unknown';
  return isUntold && /^\s*<(?:head|body|title|meta|div|p|h1|article|main|table)\b/i.test(start)
    ? 'html'
    : 'text';
}

/** The bytes that begin files of these kinds, and where they stand. */
const MAGIC: readonly (readonly [at: number, start: string, what: string])[] = [
  [0, '\x89PNG\r\n', 'a PNG image'],
  [0, '\xff\xd8\xff', 'a JPEG image'],
  [0, 'GIF87a', 'a GIF image'],
  [0, 'GIF89a', 'a GIF image'],
  [8, 'WEBP', 'a WebP image'],
  [4, 'ftypavif', 'an AVIF image'],
  [0, 'PK\x03\x04', 'a ZIP archive, as office documents are'],
  [0, '\x1f\x8b', 'a gzip archive'],
  [4, 'ftyp', 'a video'],
  [0, '\x1aE\xdf\xa3', 'a video'],
  [0, 'ID3', 'audio'],
  [0, '\xff\xfb', 'audio'],
  [0, 'OggS', 'audio or video'],
  [0, '\x7fELF', 'a program'],
  [0, 'wOFF', 'a font'],
  [0, 'wOF2', 'a font'],
];

/** Gives the name of the first tag after declarations and comments. */
function rootOf(markup: string): string | undefined {
  const past = markup.replace(/<!--[\s\S]*?-->|<[?!][^>]*>/g, '');
  return /^\s*<([\w:.-]+)/.exec(past)?.[1]?.toLowerCase();
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Makes the server's type safe to show, because it may be any text. */
function shown(type: string): string {
  return JSON.stringify(type.slice(0, 60));
}
