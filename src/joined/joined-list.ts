import type { HostPorts } from './host-ports.ts';
import { type JoinedList, type JoinedOffer, NOTHING_JOINED } from './joined-offer.ts';
import { isJoinedName } from './names.ts';
import { type Believed, joinedTool } from './run-joined.ts';
import type { JoinedRow } from './servers.ts';

/** How long an isolate goes without asking the gate whether the list is another one. */
export const REMEMBER_MS = 3_000;

/** The joined tools, as this isolate knows them. */
export interface JoinedTools extends JoinedOffer {
  /** The next to look asks the gate, because something was changed from here. */
  forget(): void;
}

/** Lists joined tools from what the gate has written down; no server is asked, so none can hold up a list. */
export function joinedTools(ports: HostPorts): JoinedTools {
  // Values, and no promises: those belong to the request that made them.
  let known: JoinedList = NOTHING_JOINED;
  let at = Number.NEGATIVE_INFINITY;
  const believed: Believed = new Map();

  const list = async (): Promise<JoinedList> => {
    if (Date.now() - at < REMEMBER_MS) return known;
    try {
      const { version, rows } = await ports.gate().joined(known.version);
      at = Date.now();
      if (rows) known = { version, tools: toolsOf(rows) };
    } catch (error) {
      // What was known a moment ago is better than no list at all.
      ports.report(error, 'joined tools');
    }
    return known;
  };

  const toolsOf = (rows: readonly JoinedRow[]) =>
    new Map(
      rows.map((row) => {
        const tool = joinedTool(row, believed, ports);
        return [tool.contract.wireName, tool] as const;
      }),
    );

  return {
    list,
    find: async (name) => (isJoinedName(name) ? (await list()).tools.get(name) : undefined),
    forget: () => {
      at = Number.NEGATIVE_INFINITY;
    },
  };
}
