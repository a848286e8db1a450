import { createPublicKey, verify as verifySignature } from 'node:crypto';
import {
  type ChainBreak,
  type ChainEntry,
  ChainVerifier,
  type Checkpoint,
  checkpointText,
} from '../../../src/core/chain.ts';

/** The state of a log as a computer last saw it, and the key that it trusts. */
export interface Witness {
  readonly seq: number;
  readonly head: string;
  /** The checkpoints' public key, raw in base64url; none before the first. */
  readonly key: string | null;
  /** The number of checkpoints. */
  readonly signed: number;
}

/** A line that is not an entry. */
export class NoEntry extends Error {
  override name = 'NoEntry';
}

export interface Verdict {
  readonly entries: number;
  readonly head: string;
  /** The number of checkpoints with a valid signature and the right head. */
  readonly signed: number;
  /** The problems, first to last; empty if all is well. */
  readonly problems: readonly string[];
}

/** Checks a log against its chain, its checkpoints and what this computer saw of it before. */
export async function verifyMemory(
  log: AsyncIterable<ChainEntry> | Iterable<ChainEntry>,
  signed: { readonly checkpoints: readonly Checkpoint[]; readonly key: string | null },
  witness: Witness | undefined,
  /** An export may be older than what was seen; the gateway's own log never gets shorter. */
  { mayBeOlder = false }: { readonly mayBeOlder?: boolean } = {},
): Promise<Verdict> {
  const verifier = new ChainVerifier([
    ...signed.checkpoints.map(({ seq }) => seq),
    ...(witness ? [witness.seq] : []),
  ]);
  const broken = await firstBreak(log, verifier);
  const ofCheckpoints = signed.checkpoints
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap((checkpoint) => checkpointProblem(checkpoint, verifier, signed.key, broken !== undefined));
  const problems = [
    ...(broken === undefined ? [] : [broken]),
    ...(mayBeOlder && witness && verifier.seq < witness.seq
      ? []
      : witnessProblems(verifier, witness, signed, broken !== undefined)),
    ...ofCheckpoints,
  ];
  return {
    entries: verifier.seq,
    head: verifier.head,
    signed: signed.checkpoints.length - ofCheckpoints.length,
    problems,
  };
}

/** Takes entries until one does not follow from those before, and says what is wrong with it. */
async function firstBreak(
  log: AsyncIterable<ChainEntry> | Iterable<ChainEntry>,
  verifier: ChainVerifier,
): Promise<string | undefined> {
  try {
    for await (const entry of log) {
      const broken = verifier.next(entry);
      if (broken) return sentence(broken);
    }
  } catch (error) {
    if (!(error instanceof NoEntry)) throw error;
    return `Entry ${verifier.seq + 1}: ${error.message}.`;
  }
  return undefined;
}

function sentence({ seq, file, line, problem }: ChainBreak): string {
  return `${named(seq, { file, line })}: ${problem}.`;
}

function named(seq: number, at: { file: string | undefined; line: number | undefined } | undefined): string {
  return at === undefined ? `Entry ${seq}` : `Entry ${seq} (${at.file}, line ${at.line})`;
}

function* witnessProblems(
  verifier: ChainVerifier,
  witness: Witness | undefined,
  { checkpoints, key }: { readonly checkpoints: readonly Checkpoint[]; readonly key: string | null },
  isBroken: boolean,
): Iterable<string> {
  if (!witness) return;
  const head = verifier.headAt(witness.seq);
  if (head === undefined && !isBroken) {
    yield `The log has ${verifier.seq} entries, but this computer has already seen ${witness.seq}. The log was cut or restored.`;
  } else if (head !== undefined && head !== witness.head) {
    yield `${named(witness.seq, verifier.entryAt(witness.seq))} has another hash than this computer saw. The log was rewritten.`;
  }
  if (witness.key !== null && key !== witness.key) {
    yield 'The checkpoints are signed with another key than this computer saw before.';
  }
  const left = new Set(checkpoints.map(({ seq }) => seq).filter((seq) => seq <= witness.seq)).size;
  if (left < witness.signed) {
    yield `This computer has seen ${witness.signed} checkpoints, but ${left} are left.`;
  }
}

function checkpointProblem(
  checkpoint: Checkpoint,
  verifier: ChainVerifier,
  key: string | null,
  isBroken: boolean,
): string[] {
  const { seq, head, signature } = checkpoint;
  if (key === null || !isSigned(checkpoint, signature, key))
    return [`The checkpoint at entry ${seq} is not signed by the gateway's key.`];
  const actual = verifier.headAt(seq);
  // Entries after a break were not checked.
  if (actual === undefined && isBroken) return [`The checkpoint at entry ${seq} could not be compared.`];
  if (actual === undefined) return [`There is a checkpoint at entry ${seq}, which the log does not reach.`];
  return actual === head
    ? []
    : [`${named(seq, verifier.entryAt(seq))} has another hash than its signed checkpoint.`];
}

function isSigned(checkpoint: Checkpoint, signature: string, key: string): boolean {
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verifySignature(
      null,
      Buffer.from(checkpointText(checkpoint)),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
  } catch {
    // An unreadable key or signature proves nothing.
    return false;
  }
}
