import { once } from 'node:events';
import type { Command } from 'commander';
import { mirrorGateway } from '../../agent/mirror/gateway.ts';
import { type Pushed, type PushOptions, pushOnce } from '../../agent/mirror/push.ts';
import { pusherAt } from '../../agent/mirror/pusher.ts';
import { offeredBy, repoAt } from '../../agent/mirror/repo.ts';
import { watchRepo } from '../../agent/mirror/watch.ts';
import { bearerFor } from '../../lib/gateway-client.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { localTime } from '../../lib/local-time.ts';
import { withProgress } from '../../lib/long-work.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { mirrorSettingCommandsOn } from './mirror-settings.ts';

interface Options {
  readonly root: string;
  readonly open?: string[];
  readonly full?: boolean;
  readonly json?: boolean;
}

export function addMirrorCommands(program: Command): void {
  const mirror = program.command('mirror').description('mirror a repo, so that models can read it');
  const pushing = (command: Command) =>
    command
      .option('--root <dir>', 'a folder of the clone', '.')
      .option(
        '--open <pattern...>',
        'push only these of the open paths, instead of those in `git config bowline.open`',
      );
  pushing(mirror.command('push').description('mirror the last commit'))
    .option('--full', 'describe the whole commit, whatever the gateway has')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      `
A push sends only committed files, and of them only those that the owner opened with \`bowline mirror open\`: at first
docs/, paths/ and stacks/, README.md and CLAUDE.md. Secrets and keys (.env*, secrets/, *.key, *.pem) never leave
this computer. Pushing needs the owner key (typed, or in BOWLINE_OWNER_KEY) or a token with the scope \`push\` in
BOWLINE_TOKEN.

Examples:
  bowline mirror push
  git config --add bowline.open 'docs/**'          let this clone offer less than is open`,
    )
    .action(push);
  pushing(mirror.command('watch').description('mirror every commit, until Ctrl-C')).action(watch);
  mirror
    .command('status')
    .description('show what is mirrored')
    .option('--root <dir>', 'a folder of the clone', '.')
    .option('--json', 'print it as JSON')
    .action(status);
  mirrorSettingCommandsOn(mirror);
}

async function push(options: Options): Promise<void> {
  const pushed = await withProgress(({ tell, say }) =>
    pushOnce({ ...pushOptions(options), log: say, tell, full: options.full ?? false }),
  );
  if (options.json) printJson(pushed);
  else report(pushed);
}

async function watch(options: Options): Promise<void> {
  const stop = new AbortController();
  void Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal))).then(() =>
    stop.abort(),
  );
  // Keep the process alive while it watches: the watchers themselves do not.
  const awake = setInterval(() => undefined, 60_000);
  try {
    await watchRepo({
      ...pushOptions(options),
      log: (line) => console.error(line),
      pushed: report,
      signal: stop.signal,
    });
  } finally {
    clearInterval(awake);
  }
}

async function status({ root, json }: Options): Promise<void> {
  const url = requiredGateway();
  const shown = await mirrorGateway(url, () => bearerFor(url)).status();
  if (json) return printJson(shown);
  if (shown.commit === null) {
    console.log('Nothing is mirrored yet. Run `bowline mirror push`.');
  } else {
    const local = await repoAt(root).catch(() => undefined);
    const isHere = local === undefined ? '' : local.commit === shown.commit ? ', as here' : ', not as here';
    done(`${shown.commit.slice(0, 12)} is mirrored${isHere}.`);
    if (shown.branch !== null) detail('Branch', shown.branch);
    detail('Files', `${shown.files}, ${shown.bytes} bytes`);
    detail('Open', shown.open.join(' '));
    detail('Pushed', `${localTime(shown.pushedAt ?? 0)}, by ${shown.pushedBy ?? ''}`);
    if (local) {
      const offered = await offeredBy(local.root);
      if (offered.join() !== '**') detail('This clone offers', offered.join(' '));
    }
  }
  if (shown.problem !== null) detail('From GitHub', shown.problem);
}

function pushOptions({ root, open }: Options): Omit<PushOptions, 'log'> {
  const url = requiredGateway();
  return {
    url,
    root,
    offered: open,
    ...pusherAt(url),
  };
}

function report({ commit, files, described, sent, sentBytes, closed }: Pushed): void {
  done(`Mirrored ${commit.slice(0, 12)}: ${files} files.`);
  detail('Sent', `${sent} of ${described} files described, ${sentBytes} bytes`);
  if (closed > 0) detail('Kept here', `${closed} files that are not open`);
}
