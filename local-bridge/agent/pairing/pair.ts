import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { enrolmentText, fingerprintOf } from '../../../src/core/machine-proof.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { failureShape, notUnderstood, reach } from '../../lib/gateway-client.ts';
import { savePairedMachine } from './machine-file.ts';
import { machineKey } from './machine-key.ts';

const POLL_MS = 1_000;
/** The limit if the gateway gives no sensible end for an enrolment. */
const LONGEST_MS = 15 * 60_000;

const machineShape = z.object({ id: z.string(), name: z.string() });
const confirmed = z.object({ state: z.literal('confirmed'), machine: machineShape });
const startedShape = z.discriminatedUnion('state', [
  z.object({ state: z.literal('pending'), secret: z.string(), code: z.string(), expires_at: z.number() }),
  confirmed,
]);
const stateShape = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['pending', 'denied', 'expired']) }),
  confirmed,
]);

/** The values that the owner compares, here and in the console. */
export interface PairingShown {
  readonly code: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
}

interface Pairing {
  readonly url: string;
  readonly home: string;
  readonly name: string;
  /** Shows what to compare as soon as it is known. May also confirm as the owner. */
  onCode(shown: PairingShown): void | Promise<void>;
}

/** Pairs this machine: asks, waits for the owner, and stores the result. */
export async function pairMachine({
  url,
  home,
  name,
  onCode,
}: Pairing): Promise<{ id: string; name: string }> {
  const key = machineKey(home);
  const signature = await key.sign(enrolmentText({ origin: url, name, publicKey: key.publicKey }));
  const asked = { name, public_key: key.publicKey, signature };
  const answer = startedShape.safeParse(await post(url, 'pair', asked));
  if (!answer.success) throw notUnderstood(url);
  const started = answer.data;
  let machine: { id: string; name: string };
  if (started.state === 'confirmed') machine = started.machine;
  else {
    const { code, secret, expires_at } = started;
    const shown = { code, fingerprint: await fingerprintOf(key.publicKey), expiresAt: expires_at };
    // The gateway chooses this text, and a hostile gateway must not write to the terminal.
    if (!/^[0-9A-Z]{4}-[0-9A-Z]{4}$/.test(code)) throw notUnderstood(url);
    await onCode(shown);
    machine = await untilDecided(url, secret, Math.min(expires_at, Date.now() + LONGEST_MS));
  }
  savePairedMachine(home, { gateway: url, ...machine });
  return machine;
}

async function untilDecided(url: string, secret: string, deadline: number) {
  for (;;) {
    const answer = stateShape.safeParse(await post(url, 'pair/status', { secret }, deadline));
    if (!answer.success) throw notUnderstood(url);
    const { data } = answer;
    if (data.state === 'confirmed') return data.machine;
    if (data.state === 'denied') {
      throw new CliError('The owner refused this machine.', undefined, EXIT.approval);
    }
    if (data.state === 'expired' || Date.now() >= deadline) throw ranOut;
    await wait(POLL_MS);
  }
}

/** Posts a request. With a deadline, it tries again until then while nobody answers. */
async function post(url: string, path: string, body: object, deadline = 0): Promise<unknown> {
  for (;;) {
    try {
      return await postOnce(url, path, body);
    } catch (error) {
      const mayPass = error instanceof Unanswered;
      if (!mayPass || Date.now() >= deadline) throw error;
      await wait(POLL_MS);
    }
  }
}

async function postOnce(url: string, path: string, body: object): Promise<unknown> {
  const response = await reach(`${url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => {
    throw error instanceof CliError ? new Unanswered(error.message, error.suggestion) : error;
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const failure = failureShape.safeParse(answer);
  if (response.status >= 500) throw new Unanswered(`${url} answered ${response.status}.`, 'Try again later.');
  if (!failure.success) throw notUnderstood(url);
  throw new CliError(failure.data.message, failure.data.suggestion);
}

/** Nobody answered, or the answer was an error that may pass. */
class Unanswered extends CliError {
  override name = 'Unanswered';
}

const ranOut = new CliError(
  'Nobody confirmed this machine within ten minutes.',
  'Run `bowline pair` again and confirm it in the console.',
  EXIT.approval,
);
