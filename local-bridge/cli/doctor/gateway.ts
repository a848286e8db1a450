import { visible } from '../../../src/core/visible.ts';
import type { Health, MirrorFacts, ServerFacts } from './facts.ts';
import { type Finding, failed, ok, type Section, skipped, warning } from './finding.ts';
import { planFinding } from './plan.ts';

/** The most entries without a signature. A working gateway signs more often. */
const MAX_UNSIGNED = 200;
const OLD_MIRROR_MS = 30 * 24 * 60 * 60 * 1000;

/** The services that the gateway depends on, by its own report. */
export interface GatewayFacts {
  /** Missing unless the owner is signed in. */
  readonly health?: Health;
  readonly servers?: readonly ServerFacts[];
  /** The reason why the owner's view is missing, if the owner asked for it. */
  readonly unread?: string;
  readonly mirror?: MirrorFacts;
  /** The commits of the repo in this folder that the mirror lacks; `undefined` for another repo or none. */
  readonly behind?: number;
  /** True if Cloudflare runs the gateway, whose plans have limits. */
  readonly isBilled: boolean;
  readonly now: number;
}

/** Checks storage, secrets, memory, mirror and joined servers. */
export function gatewaySection(read: () => Promise<GatewayFacts>): Section {
  return {
    title: 'Gateway',
    async *look() {
      const facts = await read();
      const { health, unread } = facts;
      if (unread !== undefined) {
        yield failed(
          'health report',
          visible(unread, 300),
          'Upgrade the gateway with `bowline deploy`, and run doctor again.',
        );
      }
      if (!health && unread === undefined) {
        yield skipped(
          'storage and memory',
          'only the owner sees them',
          'Run it with --owner, or with BOWLINE_OWNER_KEY set.',
        );
      }
      if (health) {
        yield* storageFindings(health);
        yield* settingFindings(health);
        yield searchFinding(health);
        yield memoryFinding(health);
        yield* useFinding(facts);
      }
      yield* serverFindings(facts);
      yield mirrorFinding(facts);
    },
  };
}

const KEEPS: Readonly<Record<string, string>> = {
  OAUTH_KV: 'the KV namespace that sign-ins are kept in',
  BLOBS: 'the R2 bucket that the mirrored files are kept in',
  OWNER: 'the object of the owner, sessions and tokens',
  GATE: 'the object of approvals, rules and the ledger',
  MEMORY: 'the object of the memory',
  MIRROR: 'the object of the repo mirror',
  EVENTS: 'the object that live news goes through',
};

function* storageFindings({ storage }: Health): Generator<Finding> {
  const broken = storage.filter(({ ok: works }) => !works);
  for (const { name, why } of broken) {
    const isR2 = name === 'BLOBS';
    yield failed(
      isR2 ? 'R2' : name === 'OAUTH_KV' ? 'KV' : 'Durable Objects',
      `${name}, ${KEEPS[name] ?? 'which it is bound to'}, does not answer: ${visible(why ?? '', 200)}.`,
      isR2
        ? 'Turn R2 on for the account in Cloudflare’s dashboard (it is free to begin with), then `bowline deploy` makes and binds the bucket.'
        : 'Run `bowline deploy` again: it makes what is missing and binds it.',
    );
  }
  if (broken.length === 0) yield ok('storage', `${storage.map(({ name }) => name).join(', ')} answer`);
}

function* settingFindings({ settings }: Health): Generator<Finding> {
  const { owner_key: ownerKey, memory_key: memoryKey, github } = settings;
  if (!ownerKey) {
    yield failed(
      'owner key',
      'No owner key is set, so nobody can sign in with one.',
      'Run `bowline deploy`.',
    );
  }
  if (github && !github.secret) {
    yield failed(
      'GitHub webhook',
      `It follows ${visible(github.repo, 120)}, but has no secret to recognise real pushes, so it accepts none.`,
      `Run \`bowline deploy --github ${visible(github.repo, 120)}\`; it sets one and prints it.`,
    );
  }
  yield memoryKey
    ? ok('secrets', 'set')
    : warning(
        'memory key',
        'The memory is chained but not signed, because there is no MEMORY_KEY.',
        'Run `bowline deploy`, which makes one.',
      );
}

/** Reports on web search. It is optional, so a missing key is not a failure. */
function searchFinding({ settings: { search } }: Health): Finding {
  const check = 'web search';
  return search
    ? ok(check, visible(search, 60))
    : skipped(
        check,
        'not set up, so search_web answers not_configured',
        'Set SEARXNG_URL, or LITELLM_URL and LITELLM_KEY, for the Worker; or bind AI.',
      );
}

function memoryFinding({ memory, settings }: Health): Finding {
  const check = 'memory';
  if ('why' in memory) {
    return failed(check, `It does not answer: ${visible(memory.why, 200)}.`, 'Run `bowline deploy`.');
  }
  const { seq, checkpoint, locked } = memory.value;
  if (locked !== null) {
    return failed(
      check,
      `It is locked and accepts no more entries: ${visible(locked, 300)}`,
      'Its database was changed from outside. `bowline memory export` saves what is there, and `bowline memory verify` shows what still holds. Then restore into a new deployment.',
    );
  }
  if (settings.memory_key && seq - checkpoint > MAX_UNSIGNED) {
    return warning(
      check,
      `The last ${seq - checkpoint} of ${seq} entries are not signed.`,
      'MEMORY_KEY may be invalid. Set it anew with `bowline deploy`, and see `npx wrangler tail`.',
    );
  }
  return ok(check, `${seq} entries, chained${checkpoint > 0 ? `, signed up to ${checkpoint}` : ''}`);
}

function* useFinding({ health, isBilled }: GatewayFacts): Generator<Finding> {
  const said = health?.yesterday;
  if (!isBilled || !said) return;
  yield 'value' in said
    ? planFinding(said.value)
    : skipped('plan', `the calls of yesterday could not be counted: ${visible(said.why, 200)}`);
}

function* serverFindings({ servers = [] }: GatewayFacts): Generator<Finding> {
  for (const { name, problem, leftOut: left } of servers) {
    const check = `server ${visible(name, 40)}`;
    const cure =
      'The console’s Servers page checks it again. The server’s author has to fix what is left out.';
    if (problem !== null) yield failed(check, visible(problem, 300), cure);
    else if (left.length > 0) {
      const tools = left
        .slice(0, 5)
        .map((tool) => `${visible(tool.name, 60)} (${visible(tool.reasons.join('; '), 120)})`);
      yield warning(check, `${left.length} of its tools are left out: ${tools.join('; ')}.`, cure);
    } else yield ok(check, 'all of its tools conform');
  }
}

function mirrorFinding({ health, mirror: plain, behind, now }: GatewayFacts): Finding {
  const check = 'repo mirror';
  const said = health?.mirror;
  const mirror = said && 'value' in said ? said.value : plain;
  if (!mirror) {
    return said
      ? failed(check, 'It does not answer.', 'Run `bowline deploy`.')
      : skipped(check, 'not checked without a sign-in');
  }
  const { commit, pushedAt, files, problem } = mirror;
  if (problem !== null) {
    return failed(
      check,
      `GitHub announced a newer commit, but fetching it failed: ${visible(problem, 300)}`,
      'A private repo needs GITHUB_TOKEN with `contents: read`. `bowline mirror push` brings it up to date meanwhile.',
    );
  }
  if (commit === null) {
    return warning(check, 'Nothing is mirrored yet.', 'Run `bowline mirror push` in your repo.');
  }
  const what = `${files} files of ${commit.slice(0, 7)}`;
  const push = 'Run `bowline mirror push`, or keep `bowline mirror watch` running.';
  if (behind !== undefined && behind > 0) {
    const commits = behind === 1 ? '1 commit' : `${behind} commits`;
    return warning(check, `${what}: ${commits} behind the repo in this folder.`, push);
  }
  const days = Math.floor((now - (pushedAt ?? now)) / (24 * 60 * 60 * 1000));
  if (behind === undefined && now - (pushedAt ?? now) > OLD_MIRROR_MS) {
    return warning(check, `${what}, pushed ${days} days ago.`, push);
  }
  return ok(check, behind === 0 ? `${what}, the same as here` : what);
}
