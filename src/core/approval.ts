import { isWithin } from './clock.ts';

/** The owner's yes or no to one exact call of one principal. */
export interface Approval {
  readonly id: string;
  /** The code that people read and type: `XXXX-XXXX`. */
  readonly code: string;
  /** The digest of the canonical call. */
  readonly digest: string;
  readonly principal: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'consumed' | 'expired';
  readonly openedAt: number;
  /** The end of the approval: ten minutes to decide, and after a yes ten minutes to use it. */
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly consumedAt: number | null;
  /** True once the caller has learned the decision. The same call may then ask again. */
  readonly told: boolean;
}

/** The time that an owner has to decide, and that the caller then has to make the call. */
export const APPROVAL_MS = 10 * 60 * 1_000;

type NotOpen = 'approval_denied' | 'approval_used' | 'approval_expired';

/** The outcome of an attempt to decide. A refusal carries a sentence for the owner. */
export type Decided =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly code: NotOpen | 'approval_approved'; readonly message: string };

/** The outcome of an attempt to use an approval. */
type Consumed =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly code: NotOpen | 'approval_pending' | 'approval_mismatch' };

/** Makes a question for the owner. It does not ask yet. */
export function openApproval({
  now,
  ...about
}: Pick<Approval, 'id' | 'code' | 'digest' | 'principal'> & { readonly now: number }): Approval {
  return {
    ...about,
    state: 'pending',
    openedAt: now,
    expiresAt: now + APPROVAL_MS,
    decidedAt: null,
    decidedBy: null,
    consumedAt: null,
    told: false,
  };
}

/** Tells if an approval still has time. If the clock was set back, nobody can know that, so the time counts as over. */
export function isOpen({ expiresAt }: Pick<Approval, 'expiresAt'>, now: number): boolean {
  return isWithin(APPROVAL_MS, expiresAt - APPROVAL_MS, now);
}

/** Gives an approval as it stands now. An approval expires by time alone, without anybody writing it. */
export function view(approval: Approval, now: number): Approval {
  const canExpire = approval.state === 'pending' || approval.state === 'approved';
  return canExpire && !isOpen(approval, now) ? { ...approval, state: 'expired' } : approval;
}

/**
 * Records the owner's decision. The owner can take back a yes until it is used. A no stands, because callers
 * may have been told.
 */
export function decideApproval(
  approval: Approval,
  decision: 'approve' | 'deny',
  by: string,
  now: number,
): Decided {
  const { state } = view(approval, now);
  if (state !== 'pending' && !(state === 'approved' && decision === 'deny')) {
    const why = isWithdrawn(approval) ? { message: WITHDRAWN } : {};
    return { ok: false, ...DECIDED[state], ...why };
  }
  const decided = { ...approval, decidedAt: now, decidedBy: by };
  return {
    ok: true,
    approval:
      decision === 'approve'
        ? { ...decided, state: 'approved', expiresAt: now + APPROVAL_MS }
        : { ...decided, state: 'denied' },
  };
}

/** Takes the owner's place in `decidedBy` if the caller ended the approval. */
const LEFT = 'its caller, who left';
const WITHDRAWN = 'The caller left, so the call was withdrawn; if it is made again, you are asked again.';

/** Ends an approval whose caller left. Gives `undefined` if it is over already. */
export function withdrawApproval(approval: Approval, now: number): Approval | undefined {
  const { state } = view(approval, now);
  if (state !== 'pending' && state !== 'approved') return undefined;
  return { ...approval, state: 'expired', decidedAt: now, decidedBy: LEFT, told: true };
}

/** Tells if an approval ended because its caller left. */
export function isWithdrawn({ state, decidedBy }: Pick<Approval, 'state' | 'decidedBy'>): boolean {
  return state === 'expired' && decidedBy === LEFT;
}

const DECIDED = {
  approved: { code: 'approval_approved', message: 'This call was approved already and was not made yet.' },
  denied: {
    code: 'approval_denied',
    message: 'This call was denied already; if it is made again, you are asked again.',
  },
  consumed: { code: 'approval_used', message: 'This call was approved already, and the approval was used.' },
  expired: {
    code: 'approval_expired',
    message: 'It is too late to decide; if the call is made again, you are asked again.',
  },
} as const;

/**
 * Uses up a yes for its caller. The caller of this function stores the result in the same transaction that
 * read the approval.
 */
export function consume(
  approval: Approval,
  by: Pick<Approval, 'digest' | 'principal'>,
  now: number,
): Consumed {
  // Check this first, or the answer would tell what became of somebody else's call.
  if (approval.digest !== by.digest || approval.principal !== by.principal) {
    return { ok: false, code: 'approval_mismatch' };
  }
  const { state } = view(approval, now);
  if (state === 'approved')
    return { ok: true, approval: { ...approval, state: 'consumed', consumedAt: now } };
  return { ok: false, code: state === 'pending' ? 'approval_pending' : DECIDED[state].code };
}

/**
 * Crockford's alphabet: no two of its 32 characters look alike. Five bits of a byte choose one, without bias.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const CODE_CHARS = 8;

/** Makes a short code from at least eight random bytes. */
export function approvalCode(bytes: Uint8Array): string {
  // Somebody could guess a code made of fewer bytes.
  if (bytes.length < CODE_CHARS) throw new RangeError(`A code needs ${CODE_CHARS} bytes`);
  const chars = Array.from(bytes.subarray(0, CODE_CHARS), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return withDash(chars.join(''));
}

/**
 * Brings a typed code into its one form. People type it in any case, with spaces and dashes anywhere, and
 * with letters for the digits they look like.
 */
export function normalizeCode(text: string): string {
  const plain = text.toUpperCase().replace(/[\s\p{Pd}]/gu, '');
  return withDash(plain.replaceAll('O', '0').replace(/[IL]/g, '1'));
}

function withDash(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
