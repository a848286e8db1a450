import { readPdf } from '../../../src/web/pdf.ts';
import { listArchive, listingText } from './archives.ts';
import { type Decoded, decoded } from './encodings.ts';
import { notebookText } from './notebook.ts';
import type { Picture } from './pictures.ts';

/** Something to read that can take long: its kind as far as its first bytes tell, and until when. */
export interface Job {
  readonly kind: 'pdf' | 'archive' | 'notebook' | 'picture';
  readonly bytes: Uint8Array;
  /** A time as `Date.now()` gives it. */
  readonly until: number;
}

/** A file as text, a picture as it is shown, or why there is none, as what follows "that". */
export type Parsed =
  | {
      readonly kind: 'notebook' | 'pdf' | 'zip' | 'tar';
      readonly text: string;
      readonly encoding?: Decoded['encoding'];
      readonly isCut: boolean;
      /** Of a PDF. */
      readonly title?: string | null | undefined;
      readonly author?: string | null | undefined;
    }
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly problem: string };

/** Reads a PDF, an archive or a notebook; `undefined` if the bytes are something else. */
export async function parse({ kind, bytes, until }: Job): Promise<Parsed | undefined> {
  switch (kind) {
    case 'pdf': {
      // The reader keeps what it is given, and may move it.
      const read = await readPdf(new Uint8Array(bytes), until);
      if ('problem' in read) return { problem: read.problem };
      const { text, isCut, title, author } = read;
      return { kind: 'pdf', text, isCut, title: short(title), author: short(author) };
    }
    case 'archive': {
      const listing = await listArchive(asBuffer(bytes));
      if (!listing) return undefined;
      if ('problem' in listing) return { problem: listing.problem };
      const isCut = listing.more > 0 || listing.isCut;
      return { kind: listing.kind, text: listingText(listing), isCut };
    }
    case 'picture': {
      // The bridge itself never reads pixels, so it need not load this.
      const { smallerOrProblem } = await import('./pixels/smaller.ts');
      return smallerOrProblem(asBuffer(bytes));
    }
    case 'notebook': {
      const text = decoded(asBuffer(bytes));
      const cells = text && notebookText(text.text);
      return cells && { kind: 'notebook', ...cells, encoding: text.encoding };
    }
  }
}

const MAX_TITLE_CHARS = 1_000;

function short(text: string | null): string | null {
  return text?.slice(0, MAX_TITLE_CHARS).toWellFormed() ?? null;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
