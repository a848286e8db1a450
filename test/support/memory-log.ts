import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Witness } from '../../local-bridge/cli/memory/verify.ts';
import {
  type ChainEntry,
  type Checkpoint,
  checkpointText,
  GENESIS,
  hashEntry,
} from '../../src/core/chain.ts';

const FILES = ['progress_log.jsonl', 'decisions.jsonl', 'best_practices.md'];

type Said = Omit<ChainEntry, 'prev' | 'hash'>;

/** Entry by entry of an honest log, its files in turn. */
export function* saidEntries(count: number, bodyOf = (seq: number) => `{"n":${seq}}`): Generator<Said> {
  for (let seq = 1; seq <= count; seq++) {
    const body = bodyOf(seq);
    const idem = createHash('sha256').update(`${seq} ${body}`).digest('hex');
    const file = FILES[(seq - 1) % FILES.length] ?? '';
    yield { seq, file, line: Math.ceil(seq / FILES.length), idem, body, at: 1_767_950_000_000 + seq };
  }
}

/** Links entries, as the gateway does, or as a forger without its key can. */
export function* chained(entries: Iterable<Said>): Generator<ChainEntry> {
  let prev = GENESIS;
  for (const said of entries) {
    const { seq, file, line, idem, body, at } = said;
    const entry = { seq, file, line, idem, body, at, prev };
    const hash = hashEntry(entry);
    yield { ...entry, hash };
    prev = hash;
  }
}

export interface Signer {
  /** The public key, as a gateway shows it. */
  readonly key: string;
  at(log: readonly ChainEntry[], seq: number): Checkpoint;
}

export function newSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    key: publicKey.export({ format: 'jwk' }).x ?? '',
    at: (log, seq) =>
      signed(privateKey, { seq, head: log[seq - 1]?.hash ?? GENESIS, at: 1_767_960_000_000 + seq }),
  };
}

export function signed(key: KeyObject, head: Omit<Checkpoint, 'signature'>): Checkpoint {
  const signature = sign(null, Buffer.from(checkpointText(head)), key).toString('base64url');
  return { ...head, signature };
}

/** What a computer keeps that saw this log. */
export function witnessOfLog(log: readonly ChainEntry[], key: string, checkpoints: number): Witness {
  return { seq: log.length, head: log.at(-1)?.hash ?? GENESIS, key, signed: checkpoints };
}
