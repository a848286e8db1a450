import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '../../../src/core/error-text.ts';
import { visible } from '../../../src/core/visible.ts';
import { GitMissing } from '../../agent/mirror/git.ts';
import { type Pushed, type PushOptions, pushOnce } from '../../agent/mirror/push.ts';
import { NotARepo } from '../../agent/mirror/repo.ts';
import { watchRepo } from '../../agent/mirror/watch.ts';
import { CliError } from '../../lib/exit.ts';

/** If the first push of a repo takes longer, nobody waits for it. */
const FIRST_PUSH_MS = 5_000;

/** The clone around the open folder, mirrored while `bowline up` runs. */
export interface LocalMirror {
  /** Says in words what is mirrored, or why nothing is. */
  readonly summary: string;
  /** The patterns of what models may read of the repo; nothing if they may read all of it, or none. */
  readonly open: readonly string[];
  /** Mirrors every later commit, and says so. */
  follow(say: (line: string) => void): void;
  stop(): Promise<void>;
}

/** Mirrors the last commit of the clone around a folder. A clone that can't be mirrored stops nothing. */
export async function mirrorClone(options: {
  readonly url: string;
  readonly root: string;
  readonly token: string;
}): Promise<LocalMirror> {
  const over = new AbortController();
  const { signal } = over;
  const push: Omit<PushOptions, 'log'> = {
    url: options.url,
    root: options.root,
    bearer: async () => ({ authorization: `Bearer ${options.token}` }),
    signal,
  };
  let open: readonly string[] = [];
  const note = (done: Pushed) => {
    if (!done.open.includes('**')) ({ open } = done);
    return pushedText(done);
  };
  const first = pushOnce({ ...push, log: () => undefined }).then(note, (error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  const early = await Promise.race([first, wait(FIRST_PUSH_MS, undefined, { signal, ref: false })]);
  const follow = async (say: (line: string) => void) => {
    const outcome = await first;
    if (outcome instanceof NotARepo || outcome instanceof GitMissing) return;
    // The watch begins with the commit that is mirrored already, so say only what is new to the reader.
    let last = early instanceof CliError ? undefined : early;
    const pushed = (done: Pushed) => {
      const text = pushedText(done);
      if (text !== last) say(`Mirrored ${text}.`);
      last = text;
    };
    const log = (line: string) => {
      if (!signal.aborted && line !== refusalText(outcome)) say(line);
    };
    await watchRepo({ ...push, signal, pushed, log });
  };
  let following: Promise<void> | undefined;
  return {
    open,
    summary: early === undefined ? 'on its way; the first push takes a while' : summaryOf(early),
    follow: (say) => {
      const said = (line: string) => say(`Mirror: ${visible(line)}`);
      following = follow(said).catch((error: unknown) => {
        if (!signal.aborted) said(errorText(error));
      });
    },
    stop: async () => {
      over.abort();
      await following;
    },
  };
}

function pushedText({ commit, files }: Pushed): string {
  return `commit ${commit.slice(0, 12)}, ${files} ${files === 1 ? 'file' : 'files'}`;
}

function summaryOf(outcome: string | CliError): string {
  // The summary is one line.
  return outcome instanceof CliError ? `none. ${refusalText(outcome).replaceAll('\n', ' ')}` : outcome;
}

/** Gives the text that the watch prints for a refusal. */
function refusalText(outcome: string | CliError): string {
  return outcome instanceof CliError
    ? [outcome.message, outcome.suggestion].filter(Boolean).join('\n')
    : outcome;
}
