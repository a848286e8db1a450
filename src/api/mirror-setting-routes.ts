import { Hono } from 'hono';
import { mirrorSettings } from '../core/mirror-push.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { Mirror } from '../mirror/mirror-port.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';

interface Ports {
  readonly auth: AuthPorts;
  readonly mirror: Mirror;
}

/** Lets the owner's `bowline mirror` set which parts of the repo are open and which secrets are allowed. */
export function mirrorOwnerRoutes({ auth, mirror }: Ports): Hono {
  const app = new Hono();
  const asOwner = ownerOnly(auth);

  app.get('/settings', (c) => asOwner(c, async () => ok(await mirror.stub().settings())));

  app.put('/settings', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, mirrorSettings);
      if ('failure' in body) return failed(body.failure);
      await mirror.stub().changeSettings(body.value);
      return ok(body.value);
    }),
  );
  return app;
}
