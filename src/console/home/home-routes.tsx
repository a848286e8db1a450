import { Hono } from 'hono';
import type { GateStub } from '../../gate/gate-stub.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { ownerVisit } from '../../owner/owner-session.ts';
import { Page } from '../parts/layout.tsx';
import type { News } from '../parts/page-names.ts';
import { HOURS, type HomeMachine, HomePage } from './home-page.tsx';
import { SetupHint } from './setup-pages.tsx';
import type { SetupState } from './setup-state.ts';

interface HomePorts {
  readonly auth: AuthPorts;
  gate(): GateStub;
  machines(): Promise<readonly HomeMachine[]>;
  /** Tells which first steps are done. Left out where there is nothing to set up. */
  setup?(): Promise<SetupState>;
}

const HOUR = 3_600_000;
/**
 * Shorter than the time after which proxies cut a request. Also often enough for news that the gate does not
 * get, such as a machine's.
 */
const PULSE_MS = 20_000;

/** Serves the first page, and the news that every open page waits for. */
export function homeRoutes({ auth, gate, machines, setup }: HomePorts): Hono {
  const { origin, owner } = auth;
  const app = new Hono();

  app.get('/', async (c) => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return seeOther('/signin');
    const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
    const [overview, waiting, known, steps] = await Promise.all([
      gate().overview(thisHour - (HOURS - 1) * HOUR, HOUR),
      gate().approvals('pending'),
      machines(),
      setup?.(),
    ]);
    return page(
      <Page title="Home" csrf={visit.csrf}>
        {steps ? <SetupHint state={steps} /> : null}
        <HomePage overview={overview} waiting={waiting} machines={known} mcpUrl={`${origin}/mcp`} />
      </Page>,
    );
  });

  // This sends nothing but a number, and nothing to a browser that was signed out while it waited.
  app.get('/live', async (c) => {
    if (!(await ownerVisit(c.req.raw, owner()))) return seeOther('/signin');
    const after = Number(c.req.query('after') ?? -1);
    const news: News = await gate().pulse(Number.isSafeInteger(after) ? after : -1, PULSE_MS);
    if (!(await ownerVisit(c.req.raw, owner()))) return seeOther('/signin');
    return Response.json(news, { headers: { 'cache-control': 'no-store' } });
  });
  return app;
}
