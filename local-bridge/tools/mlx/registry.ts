import { join } from 'node:path';
import * as z from 'zod';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';

const entry = z.strictObject({
  id: z.string(),
  host: z.string(),
  port: z.int(),
  model: z.string(),
  /** The process id; null until the server has started. */
  pid: z.int().nullable(),
  since: z.string().nullable(),
  startedAt: z.int(),
  state: z.enum(['loading', 'ready']),
  /** The client that asked for it. Servers from earlier versions have none. */
  loadedBy: z.string().optional(),
});
const shape = z.strictObject({ servers: z.array(entry) });

/** A server that this machine started, or was about to start. */
export type Server = z.output<typeof entry>;

/** The servers that were started. The list is on disk, so that they are found again however the bridge ends. */
export interface Registry {
  all(): readonly Server[];
  at(host: string, port: number): Server | undefined;
  /** Adds a server, or replaces the one with its id. */
  put(server: Server): void;
  drop(id: string): void;
}

export function openRegistry(home: string): Registry {
  const path = join(home, 'mlx', 'servers.json');
  // Read the file each time, because `bowline mcp mlxctl` may work beside the bridge.
  const all = (): readonly Server[] => {
    const text = readIfThere(path);
    const parsed = shape.safeParse(text === undefined ? { servers: [] } : jsonOrNothing(text));
    if (!parsed.success)
      throw new Error(`${path} is damaged. Move it away, and stop the servers that it names by hand.`);
    return parsed.data.servers;
  };
  const write = (servers: readonly Server[]) =>
    writePrivate(path, `${JSON.stringify({ servers }, null, 2)}\n`);
  return {
    all,
    at: (host, port) => all().find((server) => server.host === host && server.port === port),
    put: (server) => write([...all().filter(({ id }) => id !== server.id), server]),
    drop: (id) => write(all().filter((server) => server.id !== id)),
  };
}
