import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { environmentOf, userShell } from '../../tools/terminal/environment.ts';
import { openWarden } from '../../tools/terminal/warden-client.ts';
import type { Keeper } from './transport.ts';

/** Makes what watches over one start of one server. */
export interface Keepers {
  /** Watches over one start. `added` is what the owner's settings put into the server's environment. */
  keep(added: Readonly<Record<string, string>>): {
    readonly keeper: Keeper;
    readonly env: Record<string, string>;
  };
  close(): Promise<void>;
}

/** Names with which a server could act as the owner, whatever the settings say. */
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
      // Everything that it starts has its mark. A search for more would cost more than it finds.
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
            if (left.length > 0) console.error(`[servers] processes that would not end: ${left.join(', ')}`);
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
