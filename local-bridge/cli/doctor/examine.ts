import { CliError } from '../../lib/exit.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { addressSection } from './address.ts';
import { asker, VENDOR_BUDGET_MS } from './ask.ts';
import { type Health, healthBy, machinesBy, mirrorBy, type ServerFacts, serversBy } from './facts.ts';
import type { Reported, Section } from './finding.ts';
import { failed, skipped } from './finding.ts';
import { type GatewayFacts, gatewaySection } from './gateway.ts';
import { commitsSince } from './git.ts';
import { handshakeSections } from './handshakes.ts';
import { type HerePorts, hereSection } from './here.ts';
import { machinesSection } from './machines.ts';
import { noPass, passFor } from './pass.ts';
import { isHere, type Subject } from './subject.ts';
import { VENDORS } from './vendors.ts';

export interface Examination {
  /** Left out if there is no gateway to look at. */
  readonly url?: string;
  readonly ownerKey?: string | undefined;
  readonly registers?: boolean;
  readonly budgetMs?: number;
  /** Left out if this computer is not to be looked at. */
  readonly here?: HerePorts;
  now?(): number;
  /** Is called with each finding as soon as it is made. */
  heard(finding: Reported): void;
}

const UNREACHED = 'the gateway cannot be reached';

/** Looks at everything in the order in which a call would meet it. It undoes everything that it changes. */
export async function examine(examination: Examination): Promise<Reported[]> {
  const { url, here, heard } = examination;
  const findings: Reported[] = [];
  const report = async (section: Section) => {
    for await (const finding of section.look()) {
      const reported = { section: section.title, ...finding };
      findings.push(reported);
      heard(reported);
    }
  };
  if (url !== undefined) await examineGateway(url, examination, report);
  if (here) await report(hereSection(here));
  return findings;
}

async function examineGateway(
  url: string,
  { ownerKey, registers = false, budgetMs = VENDOR_BUDGET_MS, now = Date.now }: Examination,
  report: (section: Section) => Promise<void>,
): Promise<void> {
  const ask = asker(budgetMs);
  const plain: Subject = { url, ask, budgetMs, token: undefined, registers, vendors: VENDORS, now };
  let reached = false;
  await report(
    addressSection(plain, (is) => {
      reached = is;
    }),
  );
  if (!reached) {
    for (const title of [...VENDORS.map(({ name }) => name), 'Gateway', 'Machines']) {
      await report({ title, look: () => one(skipped('all', UNREACHED)) });
    }
    return;
  }
  // Anybody can read a key or a token on an unencrypted line.
  const isPrivate = url.startsWith('https:') || isHere(url);
  const pass = isPrivate ? await passFor(url, ownerKey) : noPass;
  try {
    if (pass.problem) {
      const { message, cure } = pass.problem;
      await report({ title: 'Sign-in', look: () => one(failed('sign in', message, cure)) });
    }
    const subject = { ...plain, token: pass.token };
    for (const section of handshakeSections(subject)) await report(section);
    const { facts, health } = await factsFor(subject, pass.owner);
    await report(gatewaySection(async () => facts));
    await report(
      machinesSection({
        subject,
        ...(pass.owner ? { owner: pass.owner } : {}),
        machines: async () => {
          if (health && 'value' in health.machines) return health.machines.value;
          return pass.token === undefined ? undefined : machinesBy(ask, url, pass.token);
        },
      }),
    );
  } finally {
    await pass.close();
  }
}

async function* one<T>(finding: T): AsyncGenerator<T> {
  yield finding;
}

async function factsFor(
  { url, ask, token, now }: Subject,
  owner: OwnerSession | undefined,
): Promise<{ facts: GatewayFacts; health?: Health }> {
  let health: Health | undefined;
  let servers: ServerFacts[] | undefined;
  let unread: string | undefined;
  try {
    health = owner && (await healthBy(owner));
    servers = owner && (await serversBy(owner));
  } catch (error) {
    unread = `The gateway gives its owner no report: ${error instanceof CliError ? error.message : 'it has another form'}.`;
  }
  const mirror = token === undefined ? undefined : await mirrorBy(ask, url, token);
  const behind = mirror?.commit ? await commitsSince(mirror.commit) : undefined;
  return {
    facts: {
      ...(health ? { health } : {}),
      ...(servers ? { servers } : {}),
      ...(unread === undefined ? {} : { unread }),
      ...(mirror ? { mirror } : {}),
      ...(behind === undefined ? {} : { behind }),
      isBilled: !isHere(url),
      now: now(),
    },
    ...(health ? { health } : {}),
  };
}
