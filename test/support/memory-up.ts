import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from './command.ts';
import { startUp, type Up } from './up.ts';

export const PROGRESS = 'progress_log.jsonl';
export const MARKDOWN = 'best_practices.md';

interface Verdict {
  readonly code: number | null;
  readonly entries: number;
  readonly signed: number;
  readonly problems: readonly string[];
}

/** A gateway as `bowline up` starts it, and the commands of its memory in the owner's hands. */
export function memoryUp() {
  const home = mkdtempSync(join(tmpdir(), 'bowline-memory-'));
  const state = join(home, 'state');
  let up: Up | undefined;
  const gateway = () => {
    if (!up) throw new Error('it is not up');
    return up.ready;
  };
  const env = () => ({
    BOWLINE_HOME: home,
    BOWLINE_URL: gateway().rest,
    BOWLINE_OWNER_KEY: readFileSync(join(state, 'owner-key'), 'utf8').trim(),
  });
  const memory = (...args: string[]) => runBowline(['memory', ...args], { env: env() });
  const start = async () => {
    // What a computer has seen belongs to an address, so the address has to stay.
    const port = up ? ['--port', new URL(up.ready.rest).port] : [];
    up = await startUp({ home, opensNothing: true, args: ['--state', state, ...port] });
  };
  return {
    home,
    state,
    gateway,
    env,
    memory,
    start,
    stop: async () => {
      await up?.stop();
      rmSync(home, { recursive: true, force: true });
    },
    /** Ends it, works on what it left, and starts it again. */
    restart: async (work: () => void) => {
      const code = await up?.stop();
      if (code !== 0) throw new Error(`bowline up ended with ${code}`);
      work();
      await start();
    },
    /** What `memory verify` says, with its exit code. */
    verdict: async (...args: string[]): Promise<Verdict> => {
      const { code, stdout } = await memory('verify', '--json', ...args);
      return { code, ...JSON.parse(stdout) };
    },
    /** The lines of a file, as `memory tail` asks for them. */
    bodies: async (file: string): Promise<string[]> => {
      const owner = await signInAsOwner(gateway().rest, gateway().owner_key);
      const tail = await owner.call('GET', `memory/tail?file=${file}&lines=1000`);
      await owner.signOut();
      return (tail as { entries: { body: string }[] }).entries.map(({ body }) => body);
    },
  };
}
