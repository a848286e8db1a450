import { createHash } from 'node:crypto';
import type { AnyContract, Input, OwnErrorCode } from '../../contracts/contract.ts';
import type { Preview } from '../../contracts/preview.ts';
import type { Caller, Refusal } from './call.ts';
import type { FailureDetail } from './failure.ts';
import type { PreparedCall } from './prepared-call.ts';

/** The things that a previewer gets besides the input. */
export interface PreviewCall<C extends AnyContract> {
  readonly caller: Caller;
  readonly prepared: PreparedCall;
  /** Aborts when nobody waits for the preview any more. */
  readonly signal: AbortSignal;
  fail(code: OwnErrorCode<C>, detail?: string | FailureDetail): Refusal;
}

/** The reason, for the owner, why there is no preview. */
export interface NoPreview {
  readonly kind: 'none';
  readonly why: string;
}

/**
 * Finds out what a call would do without changing anything. Gives a preview, or the failure that the call
 * would end with.
 */
export type Previewer<C extends AnyContract, Ports> = (
  input: Input<C>,
  call: PreviewCall<C>,
  ports: Ports,
) => Looked | Promise<Looked>;

/** The answer of a look at a call, before the owner is asked. */
export type Looked = Preview | Refusal | NoPreview;

/** Looks at a call. A preview that fails counts as none, so that the owner is still asked. */
export async function lookOrNone(
  look: () => Promise<Looked>,
  report: (error: unknown) => void,
): Promise<Looked> {
  try {
    return await look();
  } catch (error) {
    report(error);
    return { kind: 'none', why: 'The preview failed.' };
  }
}

/** Makes a digest of what a preview looked at. The parts cannot run into each other. */
export function stateOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`);
    hash.update(bytes);
  }
  return hash.digest('hex');
}
