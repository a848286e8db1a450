import { type AnnouncedServers, MAX_ANNOUNCED_CHARS } from '../../../contracts/link-servers.ts';
import { annotationsOf } from '../../../src/joined/hints.ts';
import type { Standing } from './server.ts';

/** The list of servers that a machine joined, as its greeting tells it. */
export type Announced = AnnouncedServers;

/** Writes what servers offer for a greeting. Leaves out what does not fit, with a reason. */
export function announce(standings: readonly Standing[]): Announced {
  let room = MAX_ANNOUNCED_CHARS - 2;
  const servers: {
    name: string;
    tools: Record<string, unknown>[];
    left_out: { name: string; reasons: string[] }[];
  }[] = [];
  for (const { name, conformity } of standings) {
    const server: (typeof servers)[number] = { name, tools: [], left_out: [] };
    room -= JSON.stringify(server).length + 1;
    const put = <T>(list: T[], item: T): boolean => {
      const size = JSON.stringify(item).length + 1;
      // Leave room for the reasons of what did not fit.
      if (size > room - 8_000 || list.length >= 128) return false;
      room -= size;
      list.push(item);
      return true;
    };
    let missing = 0;
    for (const { title, description, inputSchema, outputSchema, hints, name: tool } of conformity.tools) {
      const annotations = hints ? { annotations: annotationsOf(hints) } : {};
      const listed = { name: tool, title, description, inputSchema, outputSchema, ...annotations };
      if (!put(server.tools, listed)) missing += 1;
    }
    for (const { name: tool, reasons } of conformity.leftOut) {
      const short = reasons.slice(0, 10).map((reason) => reason.slice(0, 400));
      if (!put(server.left_out, { name: tool.slice(0, 100), reasons: short })) missing += 1;
    }
    if (missing > 0 && server.left_out.length < 128) {
      const note = {
        name: `(${missing} more)`,
        reasons: ['They did not fit into the machine’s list.'],
      };
      server.left_out.push(note);
      room -= JSON.stringify(note).length + 1;
    }
    servers.push(server);
  }
  return servers;
}
