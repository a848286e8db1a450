import * as z from 'zod';
import {
  type ArchivePiece,
  ArchiveVerifier,
  archiveText,
  linesOf,
} from '../../../src/core/ledger-archive.ts';
import { verifyProof } from '../../../src/core/machine-proof.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { jsonOrNothing } from '../../lib/private-file.ts';
import { callShape } from '../backup/format.ts';
import type { Witness } from '../memory/verify.ts';

/** The source of a ledger's archive. */
export interface ArchiveSource {
  pieces(after: number): Promise<z.infer<typeof piecesShape>>;
  file(piece: number): Promise<string | null>;
}

const pieceShape = z.object({
  ...{ piece: z.int(), first: z.int(), last: z.int(), calls: z.int(), since: z.int(), until: z.int() },
  ...{ body: z.string(), prev: z.string(), hash: z.string(), signature: z.string().nullable() },
});
const piecesShape = z.object({
  pieces: z.array(pieceShape),
  key: z.string().nullable(),
  /** The lowest number of a call that is still in the database. */
  lowest: z.int(),
});
const fileShape = z.object({ file: z.string().nullable() });

export function archiveAtGateway(owner: OwnerSession): ArchiveSource {
  return {
    pieces: async (after) => piecesShape.parse(await owner.call('GET', `ledger/archive?after=${after}`)),
    file: async (piece) => fileShape.parse(await owner.call('GET', `ledger/archive/${piece}`)).file,
  };
}

interface ArchiveVerdict {
  readonly pieces: number;
  readonly calls: number;
  /** The number of pieces with a valid signature. */
  readonly signed: number;
  /** The hash of the last piece. */
  readonly head: string;
  readonly key: string | null;
  readonly problems: readonly string[];
}

/** Checks an archive against its chain, its signatures, its contents and what this computer saw of it before. */
export async function verifyArchive(
  source: ArchiveSource,
  witness: Witness | undefined,
): Promise<ArchiveVerdict> {
  const verifier = new ArchiveVerifier();
  const problems: string[] = [];
  let [calls, signed] = [0, 0];
  let page = await source.pieces(0);
  while (page.pieces.length > 0) {
    for (const piece of page.pieces) {
      const broken = verifier.next(piece);
      if (broken) {
        problems.push(`Piece ${verifier.pieces + 1}: ${broken}.`);
        return { pieces: verifier.pieces, calls, signed, head: verifier.head, key: page.key, problems };
      }
      calls += piece.calls;
      const isSigned = await isSignedBy(piece, page.key);
      if (isSigned) signed += 1;
      else if (page.key !== null || piece.signature !== null)
        problems.push(`${named(piece)}: it is not signed by the gateway's key.`);
      const wrong = wrongIn(piece, await source.file(piece.piece));
      if (wrong) problems.push(`${named(piece)}: ${wrong}.`);
      if (witness?.seq === piece.piece && witness.head !== piece.hash)
        problems.push(`${named(piece)}: it is not the one that this computer saw, so somebody replaced it.`);
    }
    page = await source.pieces(verifier.pieces);
  }
  if (witness && verifier.pieces < witness.seq)
    problems.push(`There are ${verifier.pieces} pieces, but this computer has already seen ${witness.seq}.`);
  if (witness && witness.key !== null && witness.key !== page.key)
    problems.push('The gateway has another key than this computer saw before.');
  if (page.lowest !== verifier.nextLive)
    problems.push(
      `The database continues with call ${page.lowest}, but call ${verifier.nextLive} should come next.`,
    );
  return { pieces: verifier.pieces, calls, signed, head: verifier.head, key: page.key, problems };
}

function named({ piece, first, last }: ArchivePiece): string {
  return `Piece ${piece} (calls ${first} to ${last})`;
}

async function isSignedBy(piece: ArchivePiece, key: string | null): Promise<boolean> {
  if (key === null || piece.signature === null) return false;
  return verifyProof(key, archiveText(piece), piece.signature);
}

/** Says what is wrong with the contents of a piece; `undefined` if nothing is. */
function wrongIn(piece: ArchivePiece, file: string | null): string | undefined {
  if (file === null) return 'it is gone or damaged';
  const found = linesOf(piece, file);
  if ('problem' in found) return found.problem;
  let above = piece.first - 1;
  for (const line of found.lines) {
    const call = callShape.safeParse(jsonOrNothing(line));
    if (!call.success) return `the entry after call ${above} is not a call`;
    const { seq } = call.data;
    // Restored calls have a gap where one backup ended and an older one began.
    if (piece.first > 0 ? seq !== above + 1 : seq <= above) return `call ${seq} follows call ${above}`;
    above = seq;
  }
  return above > piece.last ? `call ${above} is not of this piece` : undefined;
}
