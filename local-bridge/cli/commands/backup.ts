import { resolve } from 'node:path';
import type { Command } from 'commander';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { makeBackup } from '../backup/make.ts';
import { restoreBackup } from '../backup/restore.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write memory, ledger, rules and settings into a folder (as the owner)')
    .argument('<folder>', 'where to; empty, or made for it')
    .option('--secrets', 'with addresses and tokens of your webhooks; keep the folder to yourself then')
    .option('--json', 'print what was written as JSON')
    .addHelpText(
      'after',
      `
No key and no token of the gateway is in it, and no passkey. The mirrored repo is in git already.

Example:
  bowline backup ~/backups/bowline-2026-01-09`,
    )
    .action(backup);
  program
    .command('restore')
    .description('bring a backup into a gateway that was set up afresh (as the owner)')
    .argument('<folder>', 'what `bowline backup` wrote')
    .option('--enable-rules', 'leave rules switched on that say yes by themselves')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      `
The memory's chain and signatures are checked before anything is sent, and each link again where it arrives. What
broke off is taken up where it ended by the same command.

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
    makeBackup(owner, { url, folder: to, secrets: secrets ?? false }),
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
    restoreBackup(owner, resolve(folder), { enableRules: enableRules ?? false }),
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
