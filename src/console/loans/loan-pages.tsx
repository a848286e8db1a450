import { Hono } from 'hono';
import type { GateStub } from '../../gate/gate-stub.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { formForOwner, STALE } from '../access/owner-page.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { LentTerminals } from './loan-views.tsx';

/** Takes the form that takes a lent terminal back. It needs no proof, because it only lets less happen. */
export function loanPages({ auth, gate }: { readonly auth: AuthPorts; gate(): GateStub }): Hono {
  const app = new Hono();
  app.post('/loans/take-back', (c) =>
    formForOwner(auth)(
      c,
      '/',
      async ({ csrf }) =>
        page(
          <Page title="Lent terminals" within="Home" csrf={csrf}>
            <h1>Lent terminals</h1>
            <Problem message={STALE} />
            <LentTerminals loans={await gate().loans()} csrf={csrf} from="/" live={false} />
          </Page>,
          { status: 403 },
        ),
      async ({ form }) => {
        // An empty id would name every loan.
        await auth.endLoans({ id: form.get('id') ?? '' });
        return seeOther(form.get('from') === '/machines' ? '/machines' : '/');
      },
    ),
  );
  return app;
}
