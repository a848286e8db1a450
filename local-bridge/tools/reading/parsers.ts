import { readPdf } from '../../../src/web/pdf.ts';
import { listArchive, listingText } from './archives.ts';
import { type Decoded, decoded } from './encodings.ts';
import { notebookText } from './notebook.ts';

/** Something to read that can take long: its kind as far as its first bytes tell, and until when. */
export interface Job {
  readonly kind: 'pdf' | 'archive' | 'notebook';
  readonly bytes: Uint8Array;
  /** A time as `Date.now()` gives it. */
  readonly until: number;
}

/** A file as text, or why there is none. */
export type Parsed =
  | {
      readonly kind: 'notebook' | 'pdf' | 'zip' | 'tar';
      readonly text: string;
      readonly encoding?: Decoded['encoding'];
      readonly isCut: boolean;
    }
  | { readonly problem: string };

/** Reads a PDF, an archive or a notebook; `undefined` if the bytes are something else. */
export async function parse({ kind, bytes, until }: Job): Promise<Parsed | undefined> {
  switch (kind) {
    case 'pdf': {
      // The reader keeps what it is given, and may move it.
      const read = await readPdf(new Uint8Array(bytes), until);
      if ('problem' in read) return { problem: `is a PDF that ${read.problem}` };
      return { kind: 'pdf', text: read.text, isCut: read.isCut };
    }
    case 'archive': {
      const listing = await listArchive(asBuffer(bytes));
      if (!listing) return undefined;
      if ('problem' in listing) return { problem: `is an archive that ${listing.problem}` };
      const isCut = listing.more > 0 || listing.isCut;
      return { kind: listing.kind, text: listingText(listing), isCut };
    }
    case 'notebook': {
      const text = decoded(asBuffer(bytes));
      const cells = text && notebookText(text.text);
      return cells && { kind: 'notebook', ...cells, encoding: text.encoding };
    }
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
