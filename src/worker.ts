import { Hono } from 'hono';
import { MAX_RESULT_CHARS } from './core/cut.ts';
import { VERSION } from './core/version.ts';
import { type Env, type Ports, portsOf } from './ports.ts';
import { checkHostAndOrigin } from './surfaces/doorstep.ts';
import { mcpOverHttp } from './surfaces/mcp-http.ts';
import { rest } from './surfaces/rest.ts';

/** The gateway's routes. */
function routes({ doorstep, tools, anybody, report }: Ports): Hono {
  const app = new Hono();
  const mcp = mcpOverHttp(
    { tools, callerOf: () => ({ ...anybody, via: 'mcp', maxResultChars: MAX_RESULT_CHARS }) },
    { onError: (error) => report(error, 'mcp') },
  );
  app.use(checkHostAndOrigin(doorstep));
  app.all('/mcp', (c) => mcp(c.req.raw));
  app.get('/healthz', (c) => c.json({ ok: true, version: VERSION }));
  app.route('/', rest({ tools, anybody, callerOf: async () => undefined }));
  return app;
}

const apps = new WeakMap<Env, Hono>();

export default {
  fetch(request, env) {
    let app = apps.get(env);
    if (!app) {
      app = routes(portsOf(env));
      apps.set(env, app);
    }
    return app.fetch(request);
  },
} satisfies ExportedHandler<Env>;
