import { Argument, type Command } from 'commander';
import * as z from 'zod';
import { GROUPS, type Group } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';

const SETTING = 'settings/groups_off';
const settingShape = z.object({ value: z.array(z.enum(GROUPS)) });

interface Options {
  readonly json?: boolean;
}

export function addGroupsCommands(program: Command): void {
  const groups = program.command('groups').description('turn groups of tools on and off (as the owner)');
  groups
    .command('list', { isDefault: true })
    .description('show the groups, and which are on')
    .option('--json', 'print them as JSON')
    .action((options: Options) => change([], 'on', options));
  for (const to of ['on', 'off'] as const) {
    groups
      .command(to)
      .description(
        to === 'on'
          ? 'list and run the tools of these groups again'
          : 'neither list nor run the tools of these groups',
      )
      .addArgument(new Argument('<group...>', 'the groups').choices(GROUPS))
      .option('--json', 'print all groups as JSON')
      .action((named: Group[], options: Options) => change(named, to, options));
  }
}

/** Switches groups, if any are named, and shows all of them. */
async function change(named: readonly Group[], to: 'on' | 'off', { json }: Options): Promise<void> {
  const off = await asOwner(requiredGateway(), async (owner) => {
    const kept = settingShape.parse(await owner.call('GET', SETTING)).value;
    if (named.length === 0) return kept;
    const value = GROUPS.filter((group) => (named.includes(group) ? to === 'off' : kept.includes(group)));
    await owner.call('PUT', SETTING, { value });
    return value;
  });
  const shown = GROUPS.map((group) => ({ group, on: !off.includes(group), tools: toolsIn(group) }));
  if (json) return printJson({ groups: shown });
  if (named.length > 0) done(`Turned ${to}: ${named.join(', ')}.`);
  for (const { group, on, tools } of shown) detail(`${group}, ${on ? 'on' : 'off'}`, tools.join(' '));
}

function toolsIn(group: Group): string[] {
  return Object.values(catalogue).flatMap((contract) =>
    contract.group === group ? [contract.wireName] : [],
  );
}
