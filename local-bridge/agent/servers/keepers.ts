import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { environmentOf, userShell } from '../../tools/terminal/environment.ts';
import { openWarden } from '../../tools/terminal/warden-client.ts';
import type { Keeper } from './transport.ts';

/** Makes keepers, each of which ends one started server with all that it started. */
export interface Keepers {
  /** Makes the keeper of one start. `added` is what the owner's settings put into the server's environment. */
  keep(added: Readonly<Record<string, string>>): {
    readonly keeper: Keeper;
    readonly env: Record<string, string>;
  };
  close(): Promise<void>;
}

/** The variables with which a server could act as the owner. No setting passes them on. */
const OURS = /^(?:BOWLINE|CLOUDFLARE)_/i;
/** The time that a server has to stop once asked. */
const GRACE_MS = 1_000;

/** Opens keepers. They use the helper that also ends servers when somebody kills the bridge. */
export function openKeepers(): Keepers {
  const temporary = mkdtempSync(join(tmpdir(), 'bowline-servers-'));
  const warden = openWarden(temporary);
  const shell = userShell();
  return {
    keep: (added) => {
      const mark = randomUUID();
      // Everything that the server starts carries its mark, so no wider search is needed.
      warden.register(mark, false);
      const explicit = Object.fromEntries(Object.entries(added).filter(([name]) => !OURS.test(name)));
      const usual = environmentOf(process.env, [], { shell, temporary, mark });
      const { PATH, HOME, LANG, TZ } = explicit;
      const env: Record<string, string> = { ...explicit, ...usual };
      for (const [name, value] of Object.entries({ PATH, HOME, LANG, TZ })) if (value) env[name] = value;
      return {
        env,
        keeper: {
          started: (pid) => warden.started(mark, pid),
          end: async (exited) => {
            warden.ask(mark);
            await Promise.race([exited, wait(GRACE_MS, undefined, { ref: false })]);
            const left = await warden.end(mark);
            if (left.length > 0)
              console.error(`[servers] processes that could not be ended: ${left.join(', ')}`);
          },
        },
      };
    },
    close: async () => {
      await warden.close();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}
