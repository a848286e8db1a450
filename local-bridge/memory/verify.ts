import { createPublicKey, verify as verifySignature } from 'node:crypto';
import {
  type ChainBreak,
  type ChainEntry,
  ChainVerifier,
  type Checkpoint,
  checkpointText,
} from '../../src/core/chain.ts';

/** What a computer saw of a log the last time it looked, and the key it trusts. */
export interface Witness {
  readonly seq: number;
  readonly head: string;
  /** The checkpoints' public key, raw in base64url; none before the first. */
  readonly key: string | null;
}

export interface Verdict {
  readonly entries: number;
  readonly head: string;
  /** Checkpoints whose signature and head are right. */
  readonly signed: number;
  /** What is wrong, the first first; empty when all is well. */
  readonly problems: readonly string[];
}

/** Holds a log against its chain, its checkpoints and what was seen of it before. */
export async function verifyMemory(
  log: AsyncIterable<ChainEntry> | Iterable<ChainEntry>,
  signed: { readonly checkpoints: readonly Checkpoint[]; readonly key: string | null },
  witness: Witness | undefined,
): Promise<Verdict> {
  const verifier = new ChainVerifier([
    ...signed.checkpoints.map(({ seq }) => seq),
    ...(witness ? [witness.seq] : []),
  ]);
  const problems: string[] = [];
  for await (const entry of log) {
    const broken = verifier.next(entry);
    if (broken) {
      problems.push(sentence(broken));
      break;
    }
  }
  problems.push(...witnessProblems(verifier, witness, signed.key, problems.length > 0));
  const badCheckpoints = signed.checkpoints.flatMap((checkpoint) =>
    checkpointProblem(checkpoint, verifier, signed.key),
  );
  problems.push(...badCheckpoints);
  return {
    entries: verifier.seq,
    head: verifier.head,
    signed: signed.checkpoints.length - badCheckpoints.length,
    problems,
  };
}

function sentence({ seq, file, line, problem }: ChainBreak): string {
  return `Entry ${seq} (${file}, line ${line}): ${problem}.`;
}

function* witnessProblems(
  verifier: ChainVerifier,
  witness: Witness | undefined,
  key: string | null,
  isBroken: boolean,
): Iterable<string> {
  if (!witness) return;
  if (witness.key !== null && key !== witness.key) {
    yield 'The checkpoints are signed with another key than this computer saw before.';
  }
  const head = verifier.headAt(witness.seq);
  if (head === undefined && !isBroken) {
    yield `The log has ${verifier.seq} entries; this computer has seen ${witness.seq}. It was cut or rewound.`;
  } else if (head !== undefined && head !== witness.head) {
    yield `Entry ${witness.seq} has another hash than this computer saw. The log was written anew.`;
  }
}

function checkpointProblem(checkpoint: Checkpoint, verifier: ChainVerifier, key: string | null): string[] {
  const { seq, head, signature } = checkpoint;
  if (key === null || !isSigned(checkpoint, signature, key))
    return [`The checkpoint at entry ${seq} is not signed by the gateway's key.`];
  const actual = verifier.headAt(seq);
  if (actual === undefined) return [`There is a checkpoint at entry ${seq}, which the log does not reach.`];
  return actual === head ? [] : [`Entry ${seq} has another hash than its signed checkpoint.`];
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
    // A key or signature that cannot even be read signs nothing.
    return false;
  }
}
