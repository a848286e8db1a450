import { resolve } from 'node:path';
import type { Command } from 'commander';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { withProgress } from '../../lib/long-work.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { makeBackup } from '../backup/make.ts';
import { restoreBackup } from '../backup/restore.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write memory, ledger, rules and settings into a folder (as the owner)')
    .argument('<folder>', 'an empty or a new folder')
    .option('--secrets', 'include the addresses and tokens of your webhooks; then keep the folder private')
    .option('--json', 'print what was written as JSON')
    .addHelpText(
      'after',
      `
The backup has no keys, tokens or passkeys of the gateway, and no mirrored repo, which is in git already.

Example:
  bowline backup ~/backups/bowline-2026-01-09`,
    )
    .action(backup);
  program
    .command('restore')
    .description('restore a backup into a new gateway (as the owner)')
    .argument('<folder>', 'a folder that `bowline backup` wrote')
    .option('--enable-rules', 'keep rules switched on that allow calls without asking')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      `
This checks the memory's chain and signatures before it sends anything, and the gateway checks each link again. If it
is interrupted, run the same command again: it continues where it stopped.

Example:
  BOWLINE_URL=http://localhost:8787 bowline restore ~/backups/bowline-2026-01-09`,
    )
    .action(restore);
}

async function backup(
  folder: string,
  { secrets, json }: { secrets?: boolean; json?: boolean },
): Promise<void> {
  const url = requiredGateway();
  const to = resolve(folder);
  const manifest = await asOwner(url, (owner) =>
    withProgress(({ tell }) => makeBackup(owner, { url, folder: to, secrets: secrets ?? false }, tell)),
  );
  if (json) return printJson(manifest);
  done(`Backed up ${url} to ${to}.`);
  detail('Memory', `${manifest.memory.entries} entries`);
  detail('Ledger', `${manifest.calls} calls`);
  detail('Check it', `bowline memory verify ${to}/memory/log.jsonl`);
}

async function restore(
  folder: string,
  { enableRules, json }: { enableRules?: boolean; json?: boolean },
): Promise<void> {
  const url = requiredGateway();
  const restored = await asOwner(url, (owner) =>
    withProgress(({ tell }) =>
      restoreBackup(owner, resolve(folder), { enableRules: enableRules ?? false }, tell),
    ),
  );
  if (json) return printJson(restored);
  done(`Restored into ${url}.`);
  detail('Memory', `${restored.entries} entries, every link checked`);
  detail('Ledger', `${restored.calls} calls`);
  detail('Rules', String(restored.rules));
  for (const text of restored.switchedOff) detail('Switched off', text);
  for (const text of restored.leftOut) detail('Left out', text);
  if (restored.switchedOff.length > 0)
    console.log('  Look at them with `bowline rules`, and switch on those you know.');
  if (restored.machines.length > 0) detail('Pair again', restored.machines.join(', '));
  if (restored.servers.length > 0) detail('Join again', restored.servers.join(', '));
}
