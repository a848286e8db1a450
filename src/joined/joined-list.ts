import { isWithin } from '../core/clock.ts';
import type { ToolSet } from '../core/tools.ts';
import type { HostPorts } from './host-ports.ts';
import { type JoinedList, type JoinedOffer, NOTHING_JOINED } from './joined-offer.ts';
import { isJoinedName } from './names.ts';
import type { Believed } from './run-joined.ts';
import type { JoinedRow } from './servers.ts';

/** The time between an isolate's questions to the gate about a changed list. */
export const REMEMBER_MS = 3_000;

/** The joined tools, as this isolate knows them. */
export interface JoinedTools extends JoinedOffer {
  /** Makes the next reader ask the gate, because this isolate changed something. */
  forget(): void;
}

/** Lists joined tools from the gate's records. It asks no server, so no server can hold a list up. */
export function joinedTools(ports: HostPorts): JoinedTools {
  // Keep values, not promises: a promise belongs to the request that made it.
  let known: JoinedList = NOTHING_JOINED;
  let at = Number.NEGATIVE_INFINITY;
  const believed: Believed = new Map();

  const list = async (): Promise<JoinedList> => {
    if (isWithin(REMEMBER_MS, at, Date.now())) return known;
    try {
      const { version, rows, off } = await ports.gate().joined(known.version);
      if (rows) known = { version, tools: await toolsOf(rows), off: new Set(off) };
      at = Date.now();
    } catch (error) {
      // The list of a moment ago is better than none.
      ports.report(error, 'joined tools');
    }
    return known;
  };

  const toolsOf = async (rows: readonly JoinedRow[]): Promise<ToolSet> => {
    if (rows.length === 0) return new Map();
    // Most gateways have no joined server, and every start of the Worker would read this.
    const { joinedTool } = await import('./run-joined.ts');
    return new Map(
      rows.map((row) => {
        const tool = joinedTool(row, believed, ports);
        return [tool.contract.wireName, tool] as const;
      }),
    );
  };

  return {
    list,
    find: async (name) => (isJoinedName(name) ? (await list()).tools.get(name) : undefined),
    forget: () => {
      at = Number.NEGATIVE_INFINITY;
    },
  };
}
