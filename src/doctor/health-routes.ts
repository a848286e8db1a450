import { Hono } from 'hono';
import type { AuthPorts } from '../auth/auth-ports.ts';
import { ownerOnly } from '../auth/owner-http.ts';
import { ok } from '../surfaces/json-http.ts';
import { type HealthPorts, healthOf } from './health.ts';

/** How the gateway is, for its owner: `bowline doctor` reads it. */
export function healthRoutes({ auth, health }: { auth: AuthPorts; health: HealthPorts }): Hono {
  const asOwner = ownerOnly(auth);
  return new Hono().get('/', (c) => asOwner(c, async () => ok(await healthOf(health))));
}
