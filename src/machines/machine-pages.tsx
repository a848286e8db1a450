import { type Context, Hono } from 'hono';
import { machineName } from '../../contracts/machine-fields.ts';
import { revokeMachine } from '../auth/access.ts';
import { formOf, isOwnForm, type OwnerVisit, ownerVisit } from '../auth/owner-session.ts';
import { hasFreshProof } from '../auth/proof.ts';
import { Page } from '../console/layout.tsx';
import { page, seeOther } from '../console/respond.ts';
import { ownerAtConsole } from '../console/tool-run.ts';
import type { Failure } from '../core/failure.ts';
import { fingerprintOf } from '../core/machine-proof.ts';
import type { ToolSet } from '../core/tools.ts';
import { type Health, MachinesView, PairView } from './machine-views.tsx';
import { confirmPairing, refusals, renamePaired } from './pairing.ts';
import { machinesOverview, makeDefault, type PairingRoutePorts } from './pairing-routes.ts';
import { pathHealth, tryATool } from './path-health.ts';

const PROOF_FIRST = 'Confirm with your passkey first.';
const STALE = 'That form was no longer good. Nothing was changed; do it again here.';
const BAD_NAME = 'A name has letters, digits, dots, dashes and underscores, 64 at most.';

export interface MachinePagesPorts extends PairingRoutePorts {
  readonly tools: ToolSet;
}

/** The owner's machines: which there are, which ask to be let in, and what can be done about each. */
export function machinePages(ports: MachinePagesPorts): Hono {
  const { auth } = ports;
  const { origin, owner } = auth;
  const app = new Hono();

  const showAll = async (visit: OwnerVisit, problem?: string, status = 409, health?: Health) => {
    const [overview, proven] = await Promise.all([machinesOverview(ports), hasFreshProof(visit, auth)]);
    const frame = { title: 'Machines', csrf: visit.csrf, scripts: proven ? [] : ['passkeys.js'] };
    return page(
      <Page {...frame}>
        <MachinesView
          {...overview}
          csrf={visit.csrf}
          proven={proven}
          origin={origin}
          problem={problem}
          health={health}
        />
      </Page>,
      { status: problem ? status : 200 },
    );
  };

  const showOne = async (visit: OwnerVisit, code: string, problem?: string, status = 409) => {
    const enrolment = await owner().enrolment(code);
    if (!enrolment) return showAll(visit, problem ?? 'No machine waits under that code.', 404);
    const proven = await hasFreshProof(visit, auth);
    const fingerprint = await fingerprintOf(enrolment.publicKey);
    const frame = {
      title: 'Pair a machine',
      within: 'Machines',
      csrf: visit.csrf,
      scripts: proven ? [] : ['passkeys.js'],
    };
    return page(
      <Page {...frame}>
        <PairView
          {...enrolment}
          fingerprint={fingerprint}
          csrf={visit.csrf}
          proven={proven}
          problem={problem}
        />
      </Page>,
      { status: problem ? status : 200 },
    );
  };

  app.get('/machines', async (c) => {
    const visit = await ownerVisit(c.req.raw, owner());
    return visit ? showAll(visit) : seeOther('/signin?next=/machines');
  });
  app.get('/machines/pair', async (c) => {
    const visit = await ownerVisit(c.req.raw, owner());
    const code = c.req.query('code') ?? '';
    if (visit) return showOne(visit, code);
    return seeOther(`/signin?next=${encodeURIComponent(`/machines/pair?code=${encodeURIComponent(code)}`)}`);
  });

  /** A form of these pages: signed in, ours, and then back to the list. */
  const onForm = (
    path: string,
    act: (form: URLSearchParams, visit: OwnerVisit, c: Context) => Promise<Response | Failure | undefined>,
  ) =>
    app.post(`/machines/${path}`, async (c) => {
      const visit = await ownerVisit(c.req.raw, owner());
      if (!visit) return seeOther('/signin?next=/machines');
      const form = await formOf(c.req.raw);
      if (!isOwnForm(c.req.raw, origin, visit.secret, form.get('csrf'))) return showAll(visit, STALE, 403);
      const outcome = await act(form, visit, c);
      if (outcome instanceof Response) return outcome;
      if (outcome) return showAll(visit, `${outcome.message} ${outcome.suggestion}`, outcome.http_status);
      return seeOther('/machines');
    });
  const textOf = (form: URLSearchParams, name: string) => form.get(name) ?? '';

  onForm('pair', async (form, visit) => {
    const code = textOf(form, 'code');
    if (form.get('decision') === 'deny') {
      return (await owner().denyEnrolment(code)) ? undefined : refusals.not_found;
    }
    if (form.get('decision') !== 'confirm') return showOne(visit, code, 'Choose confirm or deny.', 400);
    if (!(await hasFreshProof(visit, auth))) return showOne(visit, code, PROOF_FIRST, 403);
    const name = machineName.safeParse(textOf(form, 'name').trim());
    if (!name.success) return showOne(visit, code, BAD_NAME, 400);
    const asked = { code, fingerprint: textOf(form, 'fingerprint'), name: name.data };
    const machine = await confirmPairing(asked, ports);
    if (!('failure' in machine)) return undefined;
    const { message, suggestion, http_status } = machine.failure;
    return showOne(visit, code, `${message} ${suggestion}`, http_status);
  });

  onForm('rename', async (form, visit) => {
    if (!(await hasFreshProof(visit, auth))) return showAll(visit, PROOF_FIRST, 403);
    const name = machineName.safeParse(textOf(form, 'name').trim());
    if (!name.success) return showAll(visit, BAD_NAME, 400);
    const renamed = await renamePaired(textOf(form, 'id'), name.data, ports);
    return 'failure' in renamed ? renamed.failure : undefined;
  });

  onForm('default', async (form, visit) => {
    if (!(await hasFreshProof(visit, auth))) return showAll(visit, PROOF_FIRST, 403);
    const done = await makeDefault(textOf(form, 'id'), form.get('on') === 'yes', auth);
    return done ? undefined : refusals.not_found;
  });

  // A form and no link, because it wakes what would sleep and stands in the ledger.
  onForm('health', async (form, visit, c) => {
    const id = textOf(form, 'id');
    const machine = await owner().machine(id);
    if (!machine) return refusals.not_found;
    const caller = ownerAtConsole(c.req.raw.signal);
    const hops = await pathHealth({
      object: ports.machine(id),
      tool: () => tryATool(ports.tools, machine.name, caller),
      now: Date.now,
    });
    return showAll(visit, undefined, 200, { id, hops });
  });

  onForm('revoke', async (form) =>
    (await revokeMachine(auth, textOf(form, 'id'))) ? undefined : refusals.not_found,
  );
  return app;
}
