import { ANYBODY, type Caller } from '../core/call.ts';
import { openNewsLine } from '../events/news-line.ts';
import { doorstepFor } from '../http/doorstep.ts';
import { preferredWait } from '../http/prefer-wait.ts';
import { addressFrom } from '../owner/address.ts';
import { makeAuth } from '../owner/auth.ts';
import { callerOfBearer, challengesFor, tokenOf } from '../owner/bearer.ts';
import type { LeashPorts } from '../owner/leash.ts';
import { sendersOf } from '../owner/senders.ts';
import type { Parts } from './common.ts';
import { report } from './report.ts';
import { takeBackLoans } from './take-back-loans.ts';

/** Wires what tells callers and the owner apart, and how each of them is refused. */
export function callerPorts({ env, origin, objects, later }: Parts) {
  const challenges = challengesFor(origin);
  const auth = makeAuth({
    origin,
    env,
    ownerKeyHash: env.OWNER_KEY_HASH,
    addressOf: addressFrom(env.CLIENT_ADDRESS_HEADER),
    owner: objects.owner,
    shutOutMachine: async (id) => objects.machine(id).revoke(),
    endLoans: (which) => takeBackLoans(which, objects),
    report,
  });
  /** Ends everything that would outlive its token or session. */
  const { credentialOf } = auth;
  const listen = () => openNewsLine(objects.owner());
  const leash: LeashPorts = { credentialOf, listen, challenges, later };
  /** A caller who does not say who they are. */
  const anybody: Caller = {
    principal: ANYBODY,
    client: 'unknown',
    via: 'rest',
    scopes: new Set(['read']),
  };
  return {
    auth: auth.ports,
    challenges,
    doorstep: doorstepFor(env),
    leash,
    anybody,
    /** Tells senders apart without reading any store. */
    senders: sendersOf({ ...auth, addressOf: auth.ports.addressOf, ownerKeyHash: env.OWNER_KEY_HASH }),
    /** Identifies the sender by the bearer token. Gives `undefined` without a valid one. */
    callerOf: async (request: Request, via: Caller['via']): Promise<Caller | undefined> => {
      const token = tokenOf(request);
      const bearer = token === undefined ? undefined : await auth.bearerOf(token);
      const waitsMs = preferredWait(request);
      return bearer && { ...callerOfBearer(bearer, via), ...(waitsMs === undefined ? {} : { waitsMs }) };
    },
  };
}
