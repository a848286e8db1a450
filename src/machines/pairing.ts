import type { Failure } from '../core/failure.ts';
import { doorFailure } from '../core/failure.ts';
import { enrolmentText, fingerprintOf, verifyProof } from '../core/machine-proof.ts';
import { networkOf } from '../owner/address.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import type { EnrolmentState, NotConfirmed } from '../owner/enrolments.ts';
import type { Machine, Unchanged } from '../owner/registry.ts';
import { tooMany } from '../owner/sign-in.ts';
import { limits } from '../owner/throttle.ts';
import type { MachinePort } from './machine-port.ts';

export interface PairingPorts {
  readonly auth: Pick<AuthPorts, 'origin' | 'owner' | 'addressOf' | 'shutOutMachine' | 'endLoans'>;
  machine(id: string): MachinePort;
  /** The gate. Its rules name machines. */
  rules(): {
    machinePaired(id: string, name: string): Promise<unknown>;
    machineNamed(id: string, name: string): Promise<unknown>;
    machineRenamed(id: string, to: string): Promise<unknown>;
  };
  report(error: unknown, where: string): void;
}

interface Asked {
  readonly name: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly address: string;
}

export type Started =
  | { readonly state: 'pending'; readonly secret: string; readonly code: string; readonly expires_at: number }
  | Extract<EnrolmentState, { state: 'confirmed' }>;

/**
 * Starts pairing for a machine. A machine whose key is paired already learns so, and its object gets the same
 * data.
 */
export async function startPairing(
  asked: Asked,
  ports: PairingPorts,
): Promise<Started | { readonly failure: Failure }> {
  const { origin, owner } = ports.auth;
  const text = enrolmentText({ origin, name: asked.name, publicKey: asked.publicKey });
  if (!(await verifyProof(asked.publicKey, text, asked.signature))) return { failure: notSigned(origin) };
  const known = await owner().machineWithKey(asked.publicKey);
  // The owner let this machine in, so no limit applies, and strangers who use up the limit cannot keep it
  // out.
  if (known && (await enrol(known, ports))) {
    return { state: 'confirmed', machine: { id: known.id, name: known.name } };
  }
  const wait = await owner().attempt([
    { what: `pair:${networkOf(asked.address)}`, limit: limits.pairFrom },
    { what: 'pair', limit: limits.pairAll },
  ]);
  if (wait > 0) return { failure: tooMany(wait) };
  const { name, publicKey, address } = asked;
  const opened = await owner().openEnrolment({ name, publicKey, address });
  if (opened === 'too_many_pending') return { failure: tooManyPending };
  const { code, expiresAt } = opened.enrolment;
  return { state: 'pending', secret: opened.secret, code, expires_at: expiresAt };
}

/** Records the owner's yes to a key, which they name by its fingerprint. */
export async function confirmPairing(
  asked: { readonly code: string; readonly fingerprint: string; readonly name?: string | undefined },
  ports: PairingPorts,
): Promise<Machine | { readonly failure: Failure }> {
  const { owner } = ports.auth;
  const enrolment = await owner().enrolment(asked.code);
  if (!enrolment) return { failure: refusals.not_found };
  const { publicKey } = enrolment;
  if (plain(asked.fingerprint) !== plain(await fingerprintOf(publicKey))) {
    return { failure: refusals.wrong_fingerprint };
  }
  const name = asked.name ?? enrolment.name;
  const machine = await owner().confirmEnrolment({ code: enrolment.code, publicKey, name });
  if (typeof machine === 'string') return { failure: refusals[machine] };
  await owner().forgive(`pair:${networkOf(enrolment.address)}`);
  return (await enrol(machine, ports)) ? machine : { failure: refusals.not_found };
}

export async function renamePaired(
  id: string,
  name: string,
  { auth, machine, rules }: PairingPorts,
): Promise<Machine | { readonly failure: Failure }> {
  const before = await auth.owner().machine(id);
  if (!before) return { failure: refusals.not_found };
  // Rules see the machine under its old name until they know the new one.
  await rules().machineNamed(id, before.name);
  const renamed = await auth.owner().renameMachine(id, name);
  if (typeof renamed === 'string') return { failure: refusals[renamed] };
  await rules().machineRenamed(id, name);
  await machine(id).rename(name);
  return renamed;
}

/**
 * Gives the machine's object its key. Gives `false` if the machine was shut out meanwhile; the object then
 * has no key.
 */
async function enrol(
  { id, name, publicKey }: Machine,
  { auth, machine, rules }: PairingPorts,
): Promise<boolean> {
  await rules().machinePaired(id, name);
  await machine(id).enrol({ id, name, publicKey, origin: auth.origin });
  if (await auth.owner().machine(id)) return true;
  await machine(id).revoke();
  return false;
}

/**
 * Brings a fingerprint into the form that is compared. Spaces, colons and case come from copying and mean
 * nothing.
 */
function plain(fingerprint: string): string {
  return fingerprint.toLowerCase().replace(/[^0-9a-f]/g, '');
}

function notSigned(origin: string): Failure {
  return {
    code: 'not_signed',
    http_status: 403,
    message: `The request is not signed with its key for ${origin}.`,
    suggestion: `Pair with the gateway's own address: bowline pair ${origin}`,
  };
}

const tooManyPending: Failure = {
  ...doorFailure('rate_limited', {
    message: 'Too many machines wait to be confirmed already.',
    suggestion: 'Confirm or deny them on the console’s Machines page, then pair again.',
    retryAfter: 60,
  }),
};

export const refusals: Readonly<Record<NotConfirmed | Unchanged, Failure>> = {
  not_found: {
    code: 'not_found',
    http_status: 404,
    message: 'There is no such machine.',
    suggestion: 'It may have waited for more than ten minutes; look at the Machines page, or pair it again.',
  },
  expired: {
    code: 'expired',
    http_status: 409,
    message: 'The machine waited for more than ten minutes.',
    suggestion: 'Run `bowline pair` on it again.',
  },
  decided: {
    code: 'decided',
    http_status: 409,
    message: 'That was decided already.',
    suggestion: 'Look at the Machines page for its state.',
  },
  wrong_fingerprint: {
    code: 'wrong_fingerprint',
    http_status: 409,
    message: 'The machine that waits under this code has another fingerprint.',
    suggestion: 'Confirm nothing. Deny it, and run `bowline pair` on the machine again.',
  },
  name_taken: {
    code: 'name_taken',
    http_status: 409,
    message: 'Another machine has that name.',
    suggestion: 'Give this one another name, or rename or revoke the other.',
  },
  key_paired: {
    code: 'key_paired',
    http_status: 409,
    message: 'That key belongs to a machine that is paired already.',
    suggestion: 'Run `bowline pair` on the machine again; it will find itself paired.',
  },
};
