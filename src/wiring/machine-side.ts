import type { linkRoute } from '../api/link-routes.ts';
import { type PairingRoutePorts, pairedMachines } from '../api/pairing-routes.ts';
import { makeMachines } from '../machines/machines.ts';
import { DIALLED_FROM } from '../machines/socket-book.ts';
import type { witnessRoutes } from '../memory/witness.ts';
import { networkOf } from '../owner/address.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import type { Parts } from './common.ts';
import { report } from './report.ts';

/** Wires the owner's machines: how to reach and pair them, and what they ask the gateway. */
export function machinePorts({ origin, objects, later }: Parts, { auth }: { readonly auth: AuthPorts }) {
  const { owner, machine, gate, memory } = objects;
  const machines = makeMachines({ stub: machine, registry: () => owner().machines(), later, report });
  const pairing: PairingRoutePorts = { auth, machine, rules: gate, report };
  const machineLink: Parameters<typeof linkRoute>[0] = {
    isPaired: async (id) => (await owner().machine(id)) !== null,
    connect: (id, request) => {
      const headers = new Headers(request.headers);
      headers.set(DIALLED_FROM, networkOf(auth.addressOf(request)));
      return machine(id).fetch(new Request(request, { headers }));
    },
  };
  /** The answers to machines about the memory. */
  const witness: Parameters<typeof witnessRoutes>[0] = {
    origin,
    memory,
    publicKeyOf: async (id) => (await owner().machine(id))?.publicKey,
  };
  return { machines, pairing, machineLink, witness, machineList: () => pairedMachines(pairing) };
}
