import { Hono } from 'hono';
import { awaitNews } from '../../gate/await-news.ts';
import type { GateStub } from '../../gate/gate-stub.ts';
import { patientJson } from '../../http/patient.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { ownerVisit } from '../../owner/owner-session.ts';
import { Page } from '../parts/layout.tsx';
import { LONGEST_WAIT_S, type News } from '../parts/page-names.ts';
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
const LONGEST_MS = LONGEST_WAIT_S * 1_000;

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
        <HomePage
          {...{ overview, waiting }}
          loans={overview.loans}
          machines={known}
          mcpUrl={`${origin}/mcp`}
          csrf={visit.csrf}
        />
      </Page>,
    );
  });

  // This sends nothing but a number, and nothing to a browser that was signed out while it waited.
  app.get('/live', async (c) => {
    if (!(await ownerVisit(c.req.raw, owner()))) return seeOther('/signin');
    const asked = Number(c.req.query('after') ?? -1);
    const after = Number.isSafeInteger(asked) ? asked : -1;
    const seconds = Number(c.req.query('wait') ?? 0);
    const ms = Math.min(Math.max(PULSE_MS, seconds * 1_000 || 0), LONGEST_MS);
    const gone = new AbortController();
    const leave = () => gone.abort();
    c.req.raw.signal.addEventListener('abort', leave, { once: true });
    const { signal } = gone;
    const coming = awaitNews<News>(gate, (stub) => stub.pulse(-1, 0), after, { ms, signal });
    const known = async () => ((await ownerVisit(c.req.raw, owner())) ? coming : undefined);
    if (ms > PULSE_MS) return patientJson(coming.then(known), leave);
    await coming;
    const news = await known();
    return news ? Response.json(news, { headers: { 'cache-control': 'no-store' } }) : seeOther('/signin');
  });
  return app;
}
