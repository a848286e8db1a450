import { Hono } from 'hono';
import * as z from 'zod';
import { machineName } from '../../contracts/machine-fields.ts';
import type { Failure } from '../core/failure.ts';
import { fingerprintOf, isPublicKey } from '../core/machine-proof.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { MachinePort, MachineStatus } from '../machines/machine-port.ts';
import {
  confirmPairing,
  type PairingPorts,
  refusals,
  renamePaired,
  startPairing,
} from '../machines/pairing.ts';
import { revokeMachine } from '../owner/access.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';
import { hasFreshProof, proofNeeded } from '../owner/proof.ts';

/** Far more than a machine says about itself here. */
const MAX_BYTES = 2_048;

const startBody = z.strictObject({
  name: machineName,
  public_key: z.string().refine(isPublicKey, 'It is not an Ed25519 key in base64url'),
  signature: z.string().max(128),
});
const statusBody = z.strictObject({ secret: z.string().regex(/^bwl_pair_[\w-]{43}$/) });
const decisionBody = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('confirm'),
    fingerprint: z.string().max(100),
    name: machineName.optional(),
  }),
  z.strictObject({ decision: z.literal('deny') }),
]);
const changeBody = z.strictObject({ name: machineName.optional(), is_default: z.boolean().optional() });

export interface PairingRoutePorts extends PairingPorts {
  readonly auth: AuthPorts;
}

/** Lets an unknown machine ask to be paired, and learn the state of its request. */
export function pairingRoutes(ports: PairingPorts): Hono {
  const app = new Hono();
  app.post('/pair', async (c) => {
    const body = await bodyOf(c.req.raw, startBody, MAX_BYTES);
    if ('failure' in body) return failed(body.failure);
    const { name, public_key, signature } = body.value;
    const address = ports.auth.addressOf(c.req.raw);
    const started = await startPairing({ name, publicKey: public_key, signature, address }, ports);
    return 'failure' in started ? failed(started.failure) : ok(started);
  });
  app.post('/pair/status', async (c) => {
    const body = await bodyOf(c.req.raw, statusBody, MAX_BYTES);
    if ('failure' in body) return failed(body.failure);
    const state = await ports.auth.owner().enrolmentState(body.value.secret);
    return state.state === 'unknown' ? failed(unknownPairing) : ok(state);
  });
  return app;
}

/** Serves the owner's machines as JSON, for the owner's `bowline` commands. */
export function machineOwnerRoutes(ports: PairingRoutePorts): Hono {
  const { auth } = ports;
  const app = new Hono();
  const asOwner = ownerOnly(auth);

  app.get('/', (c) => asOwner(c, async () => ok(await machinesOverview(ports))));
  app.post('/pair/:code', (c) =>
    asOwner(c, async (visit) => {
      const body = await bodyOf(c.req.raw, decisionBody);
      if ('failure' in body) return failed(body.failure);
      const code = c.req.param('code');
      if (body.value.decision === 'deny') {
        return (await auth.owner().denyEnrolment(code)) ? ok({ denied: true }) : failed(refusals.not_found);
      }
      if (!hasFreshProof(visit)) return failed(proofNeeded);
      const { fingerprint, name } = body.value;
      const machine = await confirmPairing({ code, fingerprint, name }, ports);
      return 'failure' in machine
        ? failed(machine.failure)
        : ok({ machine: { id: machine.id, name: machine.name } });
    }),
  );
  app.post('/:id', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, changeBody);
      if ('failure' in body) return failed(body.failure);
      const id = c.req.param('id');
      const { name, is_default } = body.value;
      if (name !== undefined) {
        const renamed = await renamePaired(id, name, ports);
        if ('failure' in renamed) return failed(renamed.failure);
      }
      if (is_default !== undefined && !(await makeDefault(id, is_default, auth))) {
        return failed(refusals.not_found);
      }
      return ok({ changed: true });
    }),
  );
  // This goes the whole way to the machine. It is a POST, because it wakes what would otherwise sleep.
  app.post('/:id/ping', (c) =>
    asOwner(c, async () => {
      const id = c.req.param('id');
      if (!(await auth.owner().machine(id))) return failed(refusals.not_found);
      const answer = await ports.machine(id).ping();
      return answer ? ok({ ms: answer.ms, tools: answer.tools }) : failed(noAnswer);
    }),
  );
  app.delete('/:id', (c) =>
    asOwner(c, async () =>
      (await revokeMachine(auth, c.req.param('id'))) ? ok({ revoked: true }) : failed(refusals.not_found),
    ),
  );
  return app;
}

/** Makes a machine the default for calls that name none, or ends that. */
export async function makeDefault(id: string, on: boolean, { owner }: Pick<AuthPorts, 'owner'>) {
  const machine = await owner().machine(id);
  if (!machine) return false;
  return machine.isDefault === on || owner().setDefaultMachine(on ? id : null);
}

/**
 * Lists every machine with what its object reports. If the object reports nothing, the machine counts as not
 * connected.
 */
export async function pairedMachines({ auth, machine, report }: PairingPorts) {
  const paired = await auth.owner().machines();
  return Promise.all(
    paired.map(async ({ id, name, isDefault, pairedAt, publicKey }) => ({
      id,
      name,
      is_default: isDefault,
      paired_at: pairedAt,
      fingerprint: await fingerprintOf(publicKey),
      ...(await statusOf(machine(id), report)),
    })),
  );
}

async function statusOf(machine: MachinePort, report: PairingPorts['report']): Promise<MachineStatus> {
  try {
    return await machine.status();
  } catch (error) {
    report(error, 'machine status');
    return { online: false, since: null, roots: [], tools: [], version: null, sandbox: null, lastSeen: null };
  }
}

/** Lists the paired machines, and those that wait to be paired. */
export async function machinesOverview(ports: PairingPorts) {
  const [machines, waiting] = await Promise.all([pairedMachines(ports), ports.auth.owner().enrolments()]);
  return {
    machines,
    pending: await Promise.all(
      waiting.map(async ({ code, name, address, openedAt, expiresAt, publicKey }) => ({
        code,
        name,
        address,
        opened_at: openedAt,
        expires_at: expiresAt,
        fingerprint: await fingerprintOf(publicKey),
      })),
    ),
  };
}

// 401, so that an address that keeps guessing counts like one that sends wrong tokens.
const unknownPairing: Failure = {
  code: 'unknown_pairing',
  http_status: 401,
  message: 'Nothing waits under that secret.',
  suggestion: 'Run `bowline pair` again.',
};

const noAnswer: Failure = {
  code: 'machine_offline',
  http_status: 503,
  message: 'The machine does not answer.',
  suggestion: 'See what `bowline service status` says on it.',
};
