import { Hono } from 'hono';
import { type HealthPorts, healthOf } from '../doctor/health.ts';
import { ok } from '../http/json-http.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';

/** Tells the owner how the gateway is. `bowline doctor` reads it. */
export function healthRoutes({ auth, health }: { auth: AuthPorts; health: HealthPorts }): Hono {
  const asOwner = ownerOnly(auth);
  return new Hono().get('/', (c) => asOwner(c, async () => ok(await healthOf(health))));
}
