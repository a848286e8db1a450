import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { Disk } from '../workspace/disk.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { isGzip, mayBeArchive } from './archives.ts';
import { readAside, type Time } from './aside.ts';
import { type Decoded, decoded } from './encodings.ts';
import { parse } from './parsers.ts';
import { isPicture, type Picture } from './pictures.ts';
import { shownPicture } from './shown-picture.ts';

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
  | {
      readonly kind: 'picture';
      readonly picture: Picture;
      /** Its sides in the file, if it is shown otherwise. */
      readonly inFile?: Pick<Picture, 'width' | 'height'>;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'binary'; readonly why: string; readonly bytes: Buffer };

/** The largest archive to list. Its list may be at its end. */
const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;
const PARSE_MS = 10_000;
const NAMES = { pdf: 'a PDF', archive: 'an archive', notebook: 'a notebook' } as const;
/** A small notebook or list is read at once: to begin a process takes longer. */
export const QUICK_BYTES = 128 * 1024;

/** Reads a file by what its bytes say that it is. Its name counts only for notebooks, which are JSON. */
export async function contentOf(file: OpenFile, disk: Disk, time: Time, isFull: boolean): Promise<Content> {
  const bytes = await readUpTo(file, MAX_FILE_BYTES, disk);
  const isCut = file.stats.size > MAX_FILE_BYTES;
  if (isPicture(bytes)) return { ...(await shownPicture(isCut ? undefined : bytes, time, isFull)), bytes };
  const kind = kindToParse(file, bytes, isCut);
  const parsed = kind && (await parsedIn(file, kind, bytes, disk, time));
  if (parsed) return parsed;
  const text = decoded(bytes, isCut);
  return text ? { kind: 'text', ...text, isCut, bytes } : { kind: 'binary', why: 'is binary', bytes };
}

/** Recognises files that take more than decoding. */
function kindToParse(file: OpenFile, bytes: Buffer, isCut: boolean): keyof typeof NAMES | undefined {
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return 'pdf';
  if (mayBeArchive(bytes)) return file.stats.size > MAX_ARCHIVE_BYTES ? undefined : 'archive';
  return file.relative.endsWith('.ipynb') && !isCut ? 'notebook' : undefined;
}

async function parsedIn(
  file: OpenFile,
  kind: keyof typeof NAMES,
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
  if (!parsed || 'picture' in parsed) return undefined;
  if ('problem' in parsed) return { kind: 'binary', why: `is ${NAMES[kind]} that ${parsed.problem}`, bytes };
  const { title: _, author: __, ...shown } = parsed;
  return { ...shown, bytes };
}
