import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { readPdf } from '../../../src/web/pdf.ts';
import type { Disk } from '../workspace/disk.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { shown } from '../workspace/path-rules.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { listArchive } from './archives.ts';
import { type Decoded, decoded } from './encodings.ts';
import { notebookText } from './notebook.ts';
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
const PDF_TIME_MS = 10_000;

/** Reads a file by what its bytes say that it is. Its name counts only for notebooks, which are JSON. */
export async function contentOf(file: OpenFile, disk: Disk): Promise<Content> {
  const bytes = await readUpTo(file, MAX_FILE_BYTES, disk);
  const isCut = file.stats.size > MAX_FILE_BYTES;
  if (isPicture(bytes)) return pictureIn(bytes, isCut);
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return pdfIn(bytes, isCut);
  const archive = await archiveIn(bytes, file, disk);
  if (archive) return archive;
  const text = decoded(bytes);
  if (!text) return { kind: 'binary', why: 'is binary', bytes };
  const cells = file.relative.endsWith('.ipynb') && !isCut ? notebookText(text.text) : undefined;
  if (cells !== undefined) return { kind: 'notebook', text: cells, encoding: text.encoding, isCut, bytes };
  return { kind: 'text', ...text, isCut, bytes };
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

async function pdfIn(bytes: Buffer, isCut: boolean): Promise<Content> {
  if (isCut) return { kind: 'binary', why: 'is a PDF larger than 10 MB', bytes };
  // The reader keeps what it is given, and may move it.
  const read = await readPdf(new Uint8Array(bytes), Date.now() + PDF_TIME_MS);
  if ('problem' in read) return { kind: 'binary', why: `is a PDF that ${read.problem}`, bytes };
  return { kind: 'pdf', text: read.text, isCut: read.isCut, bytes };
}

async function archiveIn(start: Buffer, file: OpenFile, disk: Disk): Promise<Content | undefined> {
  const isLarge = file.stats.size > MAX_FILE_BYTES;
  if (isLarge && file.stats.size > MAX_ARCHIVE_BYTES) return undefined;
  const whole = isLarge ? await readUpTo(file, MAX_ARCHIVE_BYTES, disk) : start;
  const listing = await listArchive(whole);
  if (!listing) return undefined;
  if ('problem' in listing)
    return { kind: 'binary', why: `is an archive that ${listing.problem}`, bytes: start };
  const { kind, entries, more } = listing;
  const lines = entries.map(({ name, bytes }) => `${String(bytes).padStart(12)}  ${shown(name)}\n`);
  const rest = more > 0 ? `(and ${more} more)\n` : '';
  return { kind, text: lines.join('') + rest, isCut: more > 0, bytes: start };
}
