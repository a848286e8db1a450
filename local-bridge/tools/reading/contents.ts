import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { Disk } from '../workspace/disk.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { isGzip, mayBeArchive } from './archives.ts';
import { readAside, type Time } from './aside.ts';
import { type Decoded, decoded } from './encodings.ts';
import { type Job, parse } from './parsers.ts';
import { isPicture, type Picture, plainPicture } from './pictures.ts';

/** The content of a file in a form that can be shown. */
export type Content =
  | {
      readonly kind: 'text' | 'notebook' | 'pdf' | 'zip' | 'tar';
      readonly text: string;
      readonly encoding?: Decoded['encoding'];
      /** True if the file goes on after what was read. */
      readonly isCut: boolean;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'picture'; readonly picture: Picture; readonly bytes: Buffer }
  | { readonly kind: 'binary'; readonly why: string; readonly bytes: Buffer };

/** The largest archive to list. Its list may be at its end. */
const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;
/** The largest picture to show, without its metadata. Clients refuse answers much larger. */
export const MAX_PICTURE_BYTES = 700_000;
/** Larger pictures take a viewer too much memory, however few their bytes. */
export const MAX_PICTURE_SIDE = 8_000;
const PARSE_MS = 10_000;
const NAMES = { pdf: 'a PDF', archive: 'an archive', notebook: 'a notebook' } as const;
/** A small notebook or list is read at once: to begin a process takes longer. */
export const QUICK_BYTES = 128 * 1024;

/** Reads a file by what its bytes say that it is. Its name counts only for notebooks, which are JSON. */
export async function contentOf(file: OpenFile, disk: Disk, time: Time): Promise<Content> {
  const bytes = await readUpTo(file, MAX_FILE_BYTES, disk);
  const isCut = file.stats.size > MAX_FILE_BYTES;
  if (isPicture(bytes)) return pictureIn(bytes, isCut);
  const kind = kindToParse(file, bytes, isCut);
  const parsed = kind && (await parsedIn(file, kind, bytes, disk, time));
  if (parsed) return parsed;
  const text = decoded(bytes, isCut);
  return text ? { kind: 'text', ...text, isCut, bytes } : { kind: 'binary', why: 'is binary', bytes };
}

function pictureIn(bytes: Buffer, isCut: boolean): Content {
  const picture = isCut ? undefined : plainPicture(bytes);
  if (!picture) return { kind: 'binary', why: 'is a picture that is damaged or larger than 10 MB', bytes };
  const { width, height } = picture;
  if (picture.bytes.length > MAX_PICTURE_BYTES || Math.max(width, height) > MAX_PICTURE_SIDE) {
    const why = `is a picture of ${width} × ${height} pixels and ${picture.bytes.length} bytes: larger than ${MAX_PICTURE_SIDE} pixels or ${MAX_PICTURE_BYTES} bytes`;
    return { kind: 'binary', why, bytes };
  }
  return { kind: 'picture', picture, bytes };
}

/** Recognises files that take more than decoding. */
function kindToParse(file: OpenFile, bytes: Buffer, isCut: boolean): Job['kind'] | undefined {
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return 'pdf';
  if (mayBeArchive(bytes)) return file.stats.size > MAX_ARCHIVE_BYTES ? undefined : 'archive';
  return file.relative.endsWith('.ipynb') && !isCut ? 'notebook' : undefined;
}

async function parsedIn(
  file: OpenFile,
  kind: Job['kind'],
  bytes: Buffer,
  disk: Disk,
  time: Time,
): Promise<Content | undefined> {
  const isCut = file.stats.size > MAX_FILE_BYTES;
  if (kind === 'pdf' && isCut) return { kind: 'binary', why: 'is a PDF larger than 10 MB', bytes };
  const until = () => Math.min(time.until, Date.now() + PARSE_MS);
  const isQuick = bytes.length <= QUICK_BYTES && kind !== 'pdf' && !isGzip(bytes);
  const parsed = isQuick
    ? await parse({ kind, bytes, until: until() })
    : await readAside(time, async () => {
        const whole = isCut ? await readUpTo(file, MAX_ARCHIVE_BYTES, disk) : bytes;
        return { kind, bytes: whole, until: until() };
      });
  time.signal.throwIfAborted();
  if (!parsed) return undefined;
  if ('problem' in parsed) return { kind: 'binary', why: `is ${NAMES[kind]} that ${parsed.problem}`, bytes };
  const { title: _, author: __, ...shown } = parsed;
  return { ...shown, bytes };
}
