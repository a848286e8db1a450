import type { AnyContract } from '../../contracts/contract.ts';
import type { Result } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import type { Call } from '../core/handler.ts';
import { type Door, invoke, lookAt, runPrepared } from '../core/invoke.ts';
import type { Tool } from '../core/tools.ts';
import { accessTo, problemOf, readList } from './check-server.ts';
import type { HostPorts } from './host-ports.ts';
import { withHttpServer } from './http-server.ts';
import { joinedContract } from './joined-contract.ts';
import { previewJoined } from './preview-joined.ts';
import { failed, joinedResult } from './result.ts';
import type { JoinedRow } from './servers.ts';

/** The time for which a list that was read counts as the server's current one. */
export const BELIEVED_MS = 5 * 60_000;

/** The time when each server's list was last found to match the stored one. */
export type Believed = Map<string, number>;

/** Makes a joined tool one of the gateway's tools. */
export function joinedTool(row: JoinedRow, believed: Believed, ports: HostPorts): Tool {
  const contract = joinedContract(row);
  const handler = (input: unknown, call: Call<AnyContract>): Promise<Result> =>
    row.url === null
      ? ports.machines.call(contract, call)
      : runOverHttp({ ...row, url: row.url }, contract, input, call, believed, ports);
  const { machineId } = row;
  const preview = () => previewJoined(row);
  const door: Door =
    machineId === null
      ? ports.door
      : {
          ...ports.door,
          place: (...[asked, input, caller]) => ports.door.place(asked, input, caller, machineId),
        };
  return {
    contract,
    ...(machineId === null ? {} : { onlyOn: machineId }),
    call: (args, caller) => invoke(contract, handler, args, caller, door, undefined, preview),
    run: (call) => runPrepared(contract, handler, call, door, undefined, preview),
    look: (call) => lookAt(contract, call, undefined, preview),
  };
}

async function runOverHttp(
  row: JoinedRow & { readonly url: string },
  contract: AnyContract,
  input: unknown,
  call: Call<AnyContract>,
  believed: Believed,
  ports: HostPorts,
): Promise<Result> {
  const { server: name, tool, url, allow } = row;
  const { signal } = call;
  try {
    const answer = await withHttpServer(
      await accessTo(name, url, ports),
      ports.fetch,
      signal,
      async (session) => {
        const isRead = (at: number | null | undefined) => isWithin(BELIEVED_MS, at ?? 0, Date.now());
        if (!isRead(row.checkedAt) && !isRead(believed.get(name))) {
          const { tools } = await readList(session, { name, allow }, ports, signal);
          if (tools.find((one) => one.name === tool.name)?.hash !== tool.hash) return undefined;
          believed.set(name, Date.now());
        }
        return { is: await session.call(tool.name, input, { signal }) };
      },
    );
    return answer ? joinedResult(contract, answer.is, call) : failed(call, 'tool_changed', {});
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(call, 'server_unreachable', {
      message: `The server ${name} did not answer: ${problemOf(error)}`,
    });
  }
}
