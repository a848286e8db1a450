import './network.ts';
import type { Env } from '../../src/wiring/env.ts';
import worker from '../../src/worker.ts';

export * from '../../src/worker.ts';

let configured: Env | undefined;

/** Makes the gateway forget everything that it keeps in memory: it keeps that by its configuration, which is new then. */
export function forget(): void {
  configured = undefined;
}

export default {
  fetch(request, env, context) {
    configured ??= Object.create(env) as Env;
    return worker.fetch(request, configured, context);
  },
} satisfies ExportedHandler<Env>;
