import { type Context, Hono } from 'hono';
import { machineName } from '../../../contracts/machine-fields.ts';
import { machinesOverview, makeDefault, type PairingRoutePorts } from '../../api/pairing-routes.ts';
import type { Failure } from '../../core/failure.ts';
import { fingerprintOf } from '../../core/machine-proof.ts';
import type { ToolSet } from '../../core/tools.ts';
import type { ShownLoan } from '../../gate/loans.ts';
import type { PairedMachine } from '../../gate/machine-names.ts';
import { page, seeOther } from '../../http/respond.ts';
import { confirmPairing, refusals, renamePaired } from '../../machines/pairing.ts';
import { pathHealth, tryATool } from '../../machines/path-health.ts';
import { revokeMachine } from '../../owner/access.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { hasFreshProof } from '../../owner/proof.ts';
import { formForOwner, forOwner, type OwnerForm, STALE } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { ownerAtConsole } from '../tools/tool-run.ts';
import type { Health, LastCall } from './machine-views.tsx';

const BAD_NAME = 'A name can have letters, digits, dots, dashes and underscores, 64 characters at most.';

interface MachinePagesPorts extends PairingRoutePorts {
  readonly tools: ToolSet;
  loans(): Promise<readonly ShownLoan[]>;
  lastCallOn(machine: PairedMachine): Promise<LastCall | null>;
}

/** Loads the views. Few isolates ever show them, and every start of the Worker would read them. */
const views = () => import('./machine-views.tsx');

/** Serves the owner's machines: those that are paired, those that ask to be, and what to do about each. */
export function machinePages(ports: MachinePagesPorts): Hono {
  const { auth } = ports;
  const { origin, owner } = auth;
  const app = new Hono();

  const showAll = async (visit: OwnerVisit, problem?: string, status = 409, health?: Health) => {
    const [overview, loans, { MachinesView }] = await Promise.all([
      machinesOverview(ports),
      ports.loans(),
      views(),
    ]);
    const calls = await Promise.all(
      overview.machines.map(async ({ id, name, paired_at }) =>
        ports.lastCallOn({ id, name, since: paired_at }),
      ),
    );
    const machines = overview.machines.map((machine, at) => ({ ...machine, lastCall: calls[at] ?? null }));
    return page(
      <Page title="Machines" csrf={visit.csrf}>
        <MachinesView {...{ ...overview, machines, loans, origin, problem, health }} csrf={visit.csrf} />
      </Page>,
      { status: problem ? status : 200 },
    );
  };

  const showOne = async (visit: OwnerVisit, code: string, problem?: string, status = 409) => {
    const enrolment = await owner().enrolment(code);
    if (!enrolment) return showAll(visit, problem ?? 'No machine waits under that code.', 404);
    const fingerprint = await fingerprintOf(enrolment.publicKey);
    const { PairView } = await views();
    return page(
      <Page title="Pair a machine" within="Machines" csrf={visit.csrf}>
        <PairView {...enrolment} fingerprint={fingerprint} csrf={visit.csrf} problem={problem} />
      </Page>,
      { status: problem ? status : 200 },
    );
  };

  app.get('/machines', (c) => forOwner(auth)(c, (visit) => showAll(visit)));
  app.get('/machines/pair', (c) => forOwner(auth)(c, (visit) => showOne(visit, c.req.query('code') ?? '')));

  /**
   * Takes a form of these pages. The owner must be signed in and the form ours. Then goes back to the list.
   */
  const onForm = (
    path: string,
    act: (sent: OwnerForm, c: Context) => Promise<Response | Failure | undefined>,
  ) =>
    app.post(`/machines/${path}`, (c) =>
      formForOwner(auth)(
        c,
        '/machines',
        (visit) => showAll(visit, STALE, 403),
        async (sent) => {
          const outcome = await act(sent, c);
          if (outcome instanceof Response) return outcome;
          if (!outcome) return seeOther('/machines');
          return showAll(sent.visit, `${outcome.message} ${outcome.suggestion}`, outcome.http_status);
        },
      ),
    );
  const fieldText = (form: URLSearchParams, name: string) => form.get(name) ?? '';

  onForm('pair', async ({ form, visit, askForProof }) => {
    const code = fieldText(form, 'code');
    if (form.get('decision') === 'deny') {
      return (await owner().denyEnrolment(code)) ? undefined : refusals.not_found;
    }
    if (form.get('decision') !== 'confirm') return showOne(visit, code, 'Choose confirm or deny.', 400);
    if (!hasFreshProof(visit)) return askForProof();
    const name = machineName.safeParse(fieldText(form, 'name').trim());
    if (!name.success) return showOne(visit, code, BAD_NAME, 400);
    const asked = { code, fingerprint: fieldText(form, 'fingerprint'), name: name.data };
    const machine = await confirmPairing(asked, ports);
    if (!('failure' in machine)) return undefined;
    const { message, suggestion, http_status } = machine.failure;
    return showOne(visit, code, `${message} ${suggestion}`, http_status);
  });

  onForm('rename', async ({ form, visit }) => {
    const name = machineName.safeParse(fieldText(form, 'name').trim());
    if (!name.success) return showAll(visit, BAD_NAME, 400);
    const renamed = await renamePaired(fieldText(form, 'id'), name.data, ports);
    return 'failure' in renamed ? renamed.failure : undefined;
  });

  onForm('default', async ({ form }) => {
    const done = await makeDefault(fieldText(form, 'id'), form.get('on') === 'yes', auth);
    return done ? undefined : refusals.not_found;
  });

  // A form and no link, because it wakes what would sleep, and the ledger records it.
  onForm('health', async ({ form, visit }, c) => {
    const id = fieldText(form, 'id');
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

  onForm('revoke', async ({ form }) =>
    (await revokeMachine(auth, fieldText(form, 'id'))) ? undefined : refusals.not_found,
  );
  return app;
}
