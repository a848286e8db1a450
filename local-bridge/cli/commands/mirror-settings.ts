import type { Command } from 'commander';
import { type MirrorSettings, mirrorSettings } from '../../../src/core/mirror-push.ts';
import { objectionToPattern } from '../../../src/core/path-policy.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';

interface Options {
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** Adds the commands for the owner's mirror settings. The gateway keeps them, and no push can change them. */
export function mirrorSettingCommandsOn(mirror: Command): void {
  const setting = (command: Command) => command.option('--json', 'print the settings as JSON');
  setting(
    mirror
      .command('open')
      .description('open more of the repo to models, or show what is open (as the owner)'),
  )
    .argument('[pattern...]', 'a path, a folder followed by /**, or ** for the whole repo')
    .addHelpText('after', "\nExamples:\n  bowline mirror open 'src/**'\n  bowline mirror close 'paths/**'")
    .action((patterns: string[], options: Options) => {
      for (const pattern of patterns) refuseUnfit(pattern);
      return change(
        options,
        patterns.length > 0 && ((kept) => ({ ...kept, open: added(kept.open, patterns) })),
      );
    });
  setting(
    mirror
      .command('close')
      .description('close paths again; their files leave the mirror at once (as the owner)'),
  )
    .argument('<pattern...>', 'as `bowline mirror open` shows it')
    .action((patterns: string[], options: Options) =>
      change(options, (kept) => ({ ...kept, open: removed(kept.open, patterns) })),
    );
  setting(
    mirror
      .command('allow-secret')
      .description('allow text that looks like a secret but is none (as the owner)'),
  )
    .argument('<path:rule...>', 'as the stopped push printed it')
    .option('--remove', 'no longer allow it')
    .action(async (places: string[], options: Options) => {
      await change(options, (kept) => ({
        ...kept,
        allowedSecrets: (options.remove ? removed : added)(kept.allowedSecrets, places),
      }));
      if (!options.remove && !options.json) detail('Note', READ_AS_IT_IS);
    });
}

const READ_AS_IT_IS =
  'Models that may read these files will read these places as they are, also if they hold a secret after all.';

/** Makes the change, if one was asked for, and shows the settings. */
async function change(
  { json }: Options,
  to: ((kept: MirrorSettings) => MirrorSettings) | false,
): Promise<void> {
  const set = await asOwner(requiredGateway(), async (owner) => {
    const kept = mirrorSettings.parse(await owner.call('GET', 'mirror/settings'));
    return to ? mirrorSettings.parse(await owner.call('PUT', 'mirror/settings', to(kept))) : kept;
  });
  if (json) return printJson(set);
  if (to) done('Saved. The next push sends what is newly open.');
  detail('Open', set.open.join(' '));
  if (set.allowedSecrets.length > 0) detail('Allowed', set.allowedSecrets.join(' '));
}

function added(kept: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...kept, ...more])];
}

function removed(kept: readonly string[], some: readonly string[]): string[] {
  const unknown = some.find((one) => !kept.includes(one));
  if (unknown !== undefined)
    throw new CliError(`${JSON.stringify(unknown)} is not set.`, '`bowline mirror open` shows what is set.');
  const left = kept.filter((one) => !some.includes(one));
  return left;
}

function refuseUnfit(pattern: string): void {
  const objection = objectionToPattern(pattern);
  if (objection === undefined) return;
  throw new CliError(
    `${JSON.stringify(pattern)} cannot be opened: ${objection}.`,
    'Write a path, a folder followed by /**, or ** for the whole repo.',
    EXIT.usage,
  );
}
