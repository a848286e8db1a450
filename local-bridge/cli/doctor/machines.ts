import * as z from 'zod';
import { VERSION } from '../../../src/core/version.ts';
import { visible } from '../../../src/core/visible.ts';
import { localTime } from '../../lib/local-time.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { type MachineFacts, post } from './facts.ts';
import { type Finding, failed, ok, type Section, skipped, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Tools that change nothing and ask nobody, with their arguments. The ones that tell most come first. */
const READS: readonly (readonly [tool: string, args: object])[] = [
  ['list_dir', { path: '.' }],
  ['mlx_list', {}],
];

const failure = z.looseObject({ code: z.string(), message: z.string(), suggestion: z.string().optional() });

interface MachineLook {
  readonly subject: Subject;
  /** Missing without the owner, who alone can ping. */
  readonly owner?: Pick<OwnerSession, 'call'>;
  machines(): Promise<readonly MachineFacts[] | undefined>;
}

/** Tries the path to every machine, as calls do. */
export function machinesSection(look: MachineLook): Section {
  return {
    title: 'Machines',
    async *look() {
      const machines = await look.machines();
      if (!machines) {
        yield skipped('machines', 'not checked without a sign-in that may list them');
        return;
      }
      if (machines.length === 0) {
        yield warning(
          'machines',
          'No machine is paired, so the machine tools have nowhere to run.',
          'On the machine: `bowline pair <url>`, then `bowline service install`.',
        );
        return;
      }
      const anyOnline = machines.some(({ online }) => online);
      for (const machine of machines) {
        yield onlineFinding(machine, anyOnline);
        if (!machine.online) continue;
        yield versionFinding(machine);
        const ping = await pingFinding(machine, look);
        if (ping) yield ping;
        if (ping?.state !== 'failed') yield await readFinding(machine, look.subject);
      }
    },
  };
}

const named = ({ name }: MachineFacts, what: string) => `${visible(name, 40)} ${what}`;

function onlineFinding(machine: MachineFacts, anyOnline: boolean): Finding {
  const check = named(machine, 'online');
  if (machine.online) return ok(check, `since ${timeOf(machine.since)}`);
  const found = machine.version === null ? 'It never connected.' : `Offline since ${timeOf(machine.since)}.`;
  const cure =
    'Is that machine awake? On it, `bowline service status` shows the state of its bridge, and `bowline connect` starts it by hand.';
  // People with several machines often have one asleep while another answers.
  return anyOnline ? warning(check, found, cure) : failed(check, found, cure);
}

function timeOf(since: number | string | null): string {
  return since === null ? 'an unknown time' : localTime(new Date(since).getTime());
}

function versionFinding(machine: MachineFacts): Finding {
  const check = named(machine, 'version');
  const version = machine.version ?? 'unknown';
  if (version === VERSION) return ok(check, version);
  return warning(
    check,
    `Its bridge is ${visible(version, 40)}, and this command is ${VERSION}.`,
    'Upgrade Bowline on that machine, then start its bridge again: `bowline service install`.',
  );
}

const DEAD =
  'Its bridge is connected but does not work. Start it again on that machine, and see what `bowline service status` and its log say.';

async function pingFinding(machine: MachineFacts, { owner }: MachineLook): Promise<Finding | undefined> {
  if (!owner || machine.id === undefined) return undefined;
  const check = named(machine, 'ping');
  try {
    const said = await owner.call('POST', `machines/${encodeURIComponent(machine.id)}/ping`);
    const { ms } = z.looseObject({ ms: z.number() }).parse(said);
    return ok(check, `${Math.round(ms)} ms`);
  } catch (error) {
    return failed(check, error instanceof Error ? visible(error.message, 200) : 'No answer.', DEAD);
  }
}

async function readFinding(machine: MachineFacts, subject: Subject): Promise<Finding> {
  const check = named(machine, 'tools');
  const { url, ask, token, budgetMs } = subject;
  const read = READS.find(([tool]) => machine.tools.includes(tool));
  if (!read || token === undefined) {
    return skipped(check, read ? 'not called without a sign-in' : 'it has no open tool that only reads');
  }
  const [tool, args] = read;
  const answer = await ask(`${url}/tools/${tool}`, post(token, { ...args, machine: machine.name }));
  if (answer.kind === 'nothing') {
    return failed(check, `${tool} does not come back within ${budgetMs / 1000} seconds.`, DEAD);
  }
  if (answer.status === 200) return ok(check, `${tool} answered in ${answer.ms} ms`);
  const said = failure.safeParse(answer.json);
  if (!said.success) return failed(check, `${tool} fails (${answer.status}).`, DEAD);
  const { code, message, suggestion } = said.data;
  if (code === 'insufficient_scope') {
    return skipped(
      check,
      'the token may not use machines',
      'Use one with the scope `machine`, or the owner key.',
    );
  }
  return failed(check, `${tool} fails: ${visible(message, 200)} (${visible(code, 64)})`, suggestion ?? DEAD);
}
