import type { listMachines as contract } from '../../contracts/calls.ts';
import type { Sandbox } from '../../contracts/sandboxes.ts';
import type { Handler } from '../core/handler.ts';
import { endpointOf, TRANSPORT } from '../core/registry-entry.ts';

/** The dependencies of listing the machines. */
interface MachineList {
  machines(): Promise<
    readonly {
      readonly name: string;
      readonly paired_at: number;
      readonly online: boolean;
      readonly since: number | null;
      readonly roots: readonly { readonly name: string; readonly path: string }[];
      readonly tools: readonly string[];
      readonly version: string | null;
      readonly sandbox: Sandbox | null;
    }[]
  >;
}

/** Lists the paired machines with what each last said about itself. */
export const listMachines: Handler<typeof contract, { readonly machineList: MachineList }> = async (
  _input,
  call,
  { machineList },
) => {
  const machines = await machineList.machines();
  return call.ok({
    machines: machines.map(({ name, online, since, paired_at, roots, tools, version, sandbox }) => ({
      name,
      online,
      // A machine that never connected has been offline since it was paired.
      since: new Date(since ?? paired_at).toISOString(),
      roots: roots.map((root) => ({ name: root.name, path: root.path })),
      tools: [...tools],
      status: online ? 'active' : 'offline',
      transport: TRANSPORT,
      endpoint: endpointOf('<name>'),
      version,
      sandbox,
    })),
  });
};
