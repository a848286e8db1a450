/** An entry of an archive. */
interface Packed {
  readonly name: string;
  readonly bytes: number;
  /** Where a link leads. */
  readonly target?: string;
}

/** What an archive holds, or why nobody can tell. */
export type Listing =
  | {
      readonly kind: 'zip' | 'tar';
      readonly entries: readonly Packed[];
      readonly more: number;
      /** True if the archive ends before the end of its last file. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'zip' | 'tar'; readonly problem: string };

/** The most entries to list. Others are counted. */
export const MAX_ENTRIES = 1_000;
/** The most bytes of a name to look at. */
export const MAX_NAME_BYTES = 8_192;
export const DAMAGED = 'has a damaged list of files';

/** Collects the entries of an archive, as many as are listed. */
export class Entries {
  readonly listed: Packed[] = [];
  more = 0;

  add(entry: () => Packed): void {
    if (this.listed.length < MAX_ENTRIES) this.listed.push(entry());
    else this.more += 1;
  }
}
