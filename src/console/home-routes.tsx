import { Hono } from 'hono';
import type { AuthPorts } from '../auth/auth-ports.ts';
import { ownerVisit } from '../auth/owner-session.ts';
import { Page } from './layout.tsx';
import { page, seeOther } from './respond.ts';

/** The first page: the address to add, and where to go from here. */
export function homeRoutes({ origin, owner }: AuthPorts): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return seeOther('/signin');
    return page(
      <Page title="Home" csrf={visit.csrf}>
        <h1>Your Bowline is up</h1>
        <section class="card">
          <h2>The address to add</h2>
          <p>
            In Claude or ChatGPT, add a custom connector with this address. You will be asked here what it may
            do.
          </p>
          <code class="secret">{origin}/mcp</code>
        </section>
        <section class="card">
          <h2>What is let in</h2>
          <p>
            <a href="/connections">Connections</a> lists apps, tokens, sessions and passkeys, each with a way
            to shut it out.
          </p>
        </section>
      </Page>,
    );
  });
  return app;
}
