import type { Senders } from '../http/address-limit.ts';
import { type AddressOf, networkOf } from './address.ts';
import { tokenOf } from './bearer.ts';
import { isStamped, sessionSecretIn } from './session-cookie.ts';

interface SenderPorts {
  readonly addressOf: AddressOf;
  readonly ownerKeyHash: string | undefined;
  /** Tells whether this isolate has lately seen that a token is good. */
  wasGood(token: string): boolean;
}

/** Tells senders apart by what their requests carry, without asking any store. */
export function sendersOf({ addressOf, ownerKeyHash, wasGood }: SenderPorts): Senders {
  return {
    addressOf: (request) => networkOf(addressOf(request)),
    isKnown: (request) => wasGood(tokenOf(request) ?? '') || isStamped(request, ownerKeyHash),
    hasCredential: (request) =>
      request.headers.has('authorization') || sessionSecretIn(request) !== undefined,
  };
}
