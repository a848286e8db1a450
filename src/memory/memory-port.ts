import { MEMORY_FILES } from '../../contracts/memory.ts';
import type { Checkpoint } from '../core/chain.ts';
import { checkpointText } from '../core/chain.ts';
import { signerOf } from '../core/signing.ts';
import type { Appended, NewEntry } from './log.ts';
import type { MemoryLog } from './memory-object.ts';
import type { Restoring } from './restore.ts';

/** A larger file is read only through search, or one line at a time. */
export const MAX_MEMORY_READ_BYTES = 1024 * 1024;

/** The memory's object, called from the Worker. */
export type MemoryStub = DurableObjectStub<MemoryLog>;

interface MemoryPorts {
  stub(): MemoryStub;
  /**
   * The private Ed25519 key, PKCS #8 in base64. It stays out of the object, because it guards the object's
   * database.
   */
  readonly signingKey: string | undefined;
  /** Learns that a file has grown. */
  changed(file: string): void;
  later(work: Promise<unknown>): void;
  report(error: unknown, where: string): void;
}

/** Writes to the memory, and signs checkpoints as they become due. */
export interface Memory {
  append(entry: NewEntry): Promise<Appended | { readonly locked: string }>;
  /** Appends several entries in order, all or none. */
  appendAll(
    entries: readonly NewEntry[],
  ): Promise<{ readonly appended: number; readonly replayed: number } | { readonly locked: string }>;
  /** Restores a backup step by step, and signs its end. */
  restore(step: Parameters<MemoryLog['restore']>[0]): Promise<Restoring>;
  stub(): MemoryStub;
  /**
   * Gives the key that verifies checkpoints, as raw bytes in base64url; `undefined` if this gateway signs
   * none.
   */
  publicKey(): Promise<string | undefined>;
}

export function makeMemory({ stub, signingKey, changed, later, report }: MemoryPorts): Memory {
  const signer = signerOf(signingKey);
  const sign = async (due: Omit<Checkpoint, 'signature'>): Promise<void> => {
    if (signer) await stub().checkpoint({ ...due, signature: await signer.sign(checkpointText(due)) });
  };
  // The entry is chained already, so its checkpoint may follow after the answer.
  const signLater = (due: Omit<Checkpoint, 'signature'> | null): void => {
    if (due) later(sign(due).catch((error: unknown) => report(error, 'memory checkpoint')));
  };
  return {
    stub,
    append: async (entry) => {
      const answer = await stub().append(entry);
      if (answer.kind === 'locked') return { locked: answer.because };
      signLater(answer.due);
      if (!answer.entry.replayed) changed(entry.file);
      return answer.entry;
    },
    appendAll: async (entries) => {
      const answer = await stub().appendAll([...entries]);
      if (answer.kind === 'locked') return { locked: answer.because };
      signLater(answer.due);
      if (answer.appended > 0) for (const file of new Set(entries.map(({ file }) => file))) changed(file);
      return { appended: answer.appended, replayed: answer.replayed };
    },
    restore: async (step) => {
      const { due, ...answer } = await stub().restore(step);
      signLater(due ?? null);
      if (step.do === 'end' && answer.kind === 'going') for (const file of MEMORY_FILES) changed(file);
      return answer;
    },
    publicKey: async () => signer?.publicKey(),
  };
}
