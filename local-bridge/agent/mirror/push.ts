import { hasContent, isLfsPointer } from '../../../src/core/git-blob.ts';
import type { MirrorStatus, PushAnswer } from '../../../src/core/mirror-push.ts';
import { openInBoth } from '../../../src/core/path-policy.ts';
import { isAllowedSecret, type SecretFound, secretsIn } from '../../../src/core/secret-scan.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { CliError } from '../../lib/exit.ts';
import type { Tell } from '../../lib/long-work.ts';
import { type BearerHeaders, mirrorGateway } from './gateway.ts';
import { Objects } from './git.ts';
import { keepPushed, lastPushed } from './kept.ts';
import { type Plan, planPush } from './plan.ts';
import { offeredBy, repoAt } from './repo.ts';
import { Sender } from './sender.ts';

export interface PushOptions {
  readonly url: string;
  readonly bearer: BearerHeaders;
  /** A folder of the clone. */
  readonly root: string;
  log(line: string): void;
  /** Is told how far the push is. */
  readonly tell?: Tell;
  /** True to describe the whole commit, whatever the gateway has. */
  readonly full?: boolean;
  /** The paths that this clone offers, in place of `git config bowline.open`. */
  readonly offered?: readonly string[] | undefined;
  /** Is called when the push is over, however it ended. */
  over?(): Promise<void>;
  readonly signal?: AbortSignal;
}

export interface Pushed {
  readonly commit: string;
  /** Files in the mirror now. */
  readonly files: number;
  /** The patterns of what is open and offered. */
  readonly open: readonly string[];
  readonly described: number;
  readonly sent: number;
  readonly sentBytes: number;
  /** Files that were read but stayed here. */
  readonly closed: number;
}

/** The push stopped before anything was sent, because of text that looks like secrets. */
export class SecretsFound extends CliError {
  override name = 'SecretsFound';
  readonly places: readonly SecretFound[];

  constructor(places: readonly SecretFound[]) {
    const named = places.map(({ path, line, rule }) => `  ${visibleLine(path)}:${line}  ${rule}`);
    const first = places[0];
    super(
      `The commit has text that looks like secrets, so nothing was sent:\n${named.join('\n')}`,
      `Remove them and commit again. If they are not secrets, allow each one by name, as the owner: bowline mirror allow-secret '${first?.path}:${first?.rule}'`,
    );
    this.places = places;
  }
}

const MAX_ATTEMPTS = 4;
const MAX_PLACES = 20;

/** Mirrors the last commit of the clone. Sends no content that the gateway already has. */
export async function pushOnce(options: PushOptions): Promise<Pushed> {
  const { url, bearer, root, log, full = false, signal, tell = () => undefined } = options;
  const gateway = mirrorGateway(url, bearer, signal);
  // Start all git processes at once: most of the time of a small push goes into starting them.
  const objects = new Objects(root);
  try {
    const [repo, offered, status] = await Promise.all([
      repoAt(root),
      offeredBy(root, options.offered),
      gateway.status(),
    ]);
    const settings = { ...keptBy(status), offered };
    const open = openInBoth(settings.open, offered);
    for (const one of offered) {
      if (one === '**' || openInBoth(settings.open, [one]).includes(one)) continue;
      log(
        `The gateway does not open all of ${visibleLine(one)}. To open it: bowline mirror open '${visibleLine(one)}'`,
      );
    }
    if (open.length === 0)
      throw new CliError(
        'Nothing that this clone offers is open at the gateway.',
        'Open it as the owner with `bowline mirror open`.',
      );
    let base = full ? null : (lastPushed(url, repo.root) ?? status.commit);
    for (let attempt = 1; ; attempt++) {
      const plan = await planPush(repo, base, open, objects, tell);
      await refuseSecrets(plan, settings.allowedSecrets, objects, { log, tell });
      if (attempt === 1) for (const line of plan.left) log(`Left out ${visibleLine(line)}.`);
      const sender = new Sender({ gateway, objects, pieces: status.pieces, tell, log }, plan);
      const answer = await sender.send(repo, open);
      if (answer.kind === 'done') {
        keepPushed(url, repo.root, repo.commit);
        const { sent, sentBytes } = sender;
        const { closed, files } = plan;
        const described = files.length;
        return { commit: repo.commit, files: answer.files, open, described, sent, sentBytes, closed };
      }
      if (attempt >= MAX_ATTEMPTS) throw ended(answer);
      // Somebody else pushed, or the guess at the mirror's commit was wrong.
      if (answer.kind === 'other_base') base = answer.commit === base ? null : answer.commit;
      else if (answer.kind !== 'unknown_push') throw ended(answer);
    }
  } finally {
    objects.close();
    await options.over?.();
  }
}

/** Reads what the gateway's owner opened and allowed. Only callers who may push learn it. */
function keptBy({ settings }: MirrorStatus): { open: readonly string[]; allowedSecrets: readonly string[] } {
  if (settings) return settings;
  throw new CliError(
    'Pushing needs the owner, or a token with the scope `push`.',
    'Set BOWLINE_OWNER_KEY to the owner key, or BOWLINE_TOKEN to a token that `bowline token create --name mirror --scopes push` makes.',
  );
}

/** Refuses a push with secrets. Reads all that may be sent before the gateway hears about any of it. */
async function refuseSecrets(
  { files }: Plan,
  allowedSecrets: readonly string[],
  objects: Objects,
  { log, tell }: Pick<PushOptions, 'log'> & { readonly tell: Tell },
): Promise<void> {
  const places: SecretFound[] = [];
  let pointers = 0;
  for (const [index, file] of files.entries()) {
    tell('Looking for secrets in the files', index, files.length);
    if (!hasContent(file)) continue;
    const bytes = await objects.read(file.sha);
    if (isLfsPointer(bytes)) pointers += 1;
    places.push(...secretsIn(file.path, bytes).filter((place) => !isAllowedSecret(place, allowedSecrets)));
    if (places.length >= MAX_PLACES) break;
  }
  if (places.length > 0) throw new SecretsFound(places.slice(0, MAX_PLACES));
  if (pointers > 0) log(`Git LFS keeps ${pointers} files elsewhere, so only pointers to them are mirrored.`);
}

function ended(answer: PushAnswer): CliError {
  if (answer.kind === 'too_many_files')
    return new CliError(
      'The repo has more files than a mirror holds.',
      'Open fewer folders with `bowline mirror close`.',
    );
  return new CliError('Other pushes kept changing the mirror during this one.', 'Push again.');
}
