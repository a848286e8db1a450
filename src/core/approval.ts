/** The owner's yes or no to one exact call of one principal. */
export interface Approval {
  readonly id: string;
  /** What people call it: `XXXX-XXXX`. */
  readonly code: string;
  /** Of the canonical call. */
  readonly digest: string;
  readonly principal: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'consumed' | 'expired';
  readonly openedAt: number;
  /** When it ends: ten minutes to decide, and from an approval on, ten minutes to use it. */
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly consumedAt: number | null;
  /** Whether the caller was told how it ended, so that the same call may ask anew. */
  readonly told: boolean;
}

/** How long an owner has to decide, and the caller then to make the call. */
export const APPROVAL_MS = 10 * 60 * 1_000;

type NotOpen = 'approval_denied' | 'approval_used' | 'approval_expired';

/** What became of an attempt to decide; a refusal has a sentence for the owner. */
export type Decided =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly code: NotOpen | 'approval_approved'; readonly message: string };

/** What became of an attempt to use an approval. */
export type Consumed =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly code: NotOpen | 'approval_pending' | 'approval_mismatch' };

/** A question to the owner, not yet put. */
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

/** An approval as it is now: time ends one that nobody has to touch. */
export function view(approval: Approval, now: number): Approval {
  const canExpire = approval.state === 'pending' || approval.state === 'approved';
  return canExpire && now >= approval.expiresAt ? { ...approval, state: 'expired' } : approval;
}

/** The owner decides. A yes can be taken back until it is used; a no stands, since callers were told. */
export function decideApproval(
  approval: Approval,
  decision: 'approve' | 'deny',
  by: string,
  now: number,
): Decided {
  const { state } = view(approval, now);
  if (state !== 'pending' && !(state === 'approved' && decision === 'deny')) {
    return { ok: false, ...DECIDED[state] };
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

const DECIDED = {
  approved: { code: 'approval_approved', message: 'This call was approved already and was not made yet.' },
  denied: {
    code: 'approval_denied',
    message: 'This call was denied already; if it is made again, it asks anew.',
  },
  consumed: { code: 'approval_used', message: 'This call was approved already, and has been made.' },
  expired: {
    code: 'approval_expired',
    message: 'It is too late to decide; if the call is made again, it asks anew.',
  },
} as const;

/** The caller uses a yes, and uses it up: whoever stores the result does so in the transaction that read it. */
export function consume(
  approval: Approval,
  by: Pick<Approval, 'digest' | 'principal'>,
  now: number,
): Consumed {
  // First, so that what became of somebody else's call is not told.
  if (approval.digest !== by.digest || approval.principal !== by.principal) {
    return { ok: false, code: 'approval_mismatch' };
  }
  const { state } = view(approval, now);
  if (state === 'approved')
    return { ok: true, approval: { ...approval, state: 'consumed', consumedAt: now } };
  return { ok: false, code: state === 'pending' ? 'approval_pending' : DECIDED[state].code };
}

/** Crockford's: 32 characters, none of which looks like another, so five bits of a byte each without bias. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const CODE_CHARS = 8;

/** A short code out of at least eight random bytes. */
export function approvalCode(bytes: Uint8Array): string {
  // A code made of fewer could be guessed.
  if (bytes.length < CODE_CHARS) throw new RangeError(`A code needs ${CODE_CHARS} bytes`);
  const chars = Array.from(bytes.subarray(0, CODE_CHARS), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return withDash(chars.join(''));
}

/** What somebody typed for a code: in any case, with spaces and dashes anywhere, and letters for the digits they look like. */
export function normalizeCode(text: string): string {
  const plain = text.toUpperCase().replace(/[\s\p{Pd}]/gu, '');
  return withDash(plain.replaceAll('O', '0').replace(/[IL]/g, '1'));
}

function withDash(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
