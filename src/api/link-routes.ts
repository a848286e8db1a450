import { Hono } from 'hono';

interface LinkRoutePorts {
  /** Tells if a machine of that id is paired. */
  isPaired(id: string): Promise<boolean>;
  /** Passes the socket to the machine's object. */
  connect(id: string, request: Request): Promise<Response>;
}

/**
 * Serves the address that machines connect to. It needs no bearer token, because the greeting that follows
 * proves who it is.
 */
export function linkRoute({ isPaired, connect }: LinkRoutePorts): Hono {
  const app = new Hono();
  app.get('/link', async (c) => {
    const id = c.req.query('machine') ?? '';
    // A request for an object creates it, so strangers' names must not get that far.
    if (!/^[\w-]{1,64}$/.test(id) || !(await isPaired(id))) {
      return c.json(
        { code: 'unknown_machine', message: 'No such machine is paired with this gateway.' },
        404,
      );
    }
    if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
      const message = 'Machines connect here by WebSocket.';
      return c.json({ code: 'upgrade_required', message }, 426, { upgrade: 'websocket' });
    }
    return connect(id, c.req.raw);
  });
  return app;
}
