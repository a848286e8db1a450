import { statSync } from 'node:fs';
import { errorText } from '../../../src/core/error-text.ts';
import { type BridgeSettings, bridgeSettings, settingsFile } from '../policy/settings.ts';
import type { JoinedServers } from './join.ts';

const LOOK_MS = 1_000;

interface Following {
  readonly home: string;
  /** The file of the settings, if it is another than the home's own. */
  readonly file?: string | undefined;
  readonly settings: BridgeSettings;
  readonly joined: Pick<JoinedServers, 'follow'>;
  say(line: string): void;
  readonly lookMs?: number;
}

/**
 * Follows `servers` in the settings while the bridge runs: starts what was added, stops what is gone. A file that cannot be
 * used changes nothing. All other settings count from the next start, so that a bridge keeps the rules it was started with.
 */
export function followServers(following: Following): { stop(): void } {
  const { home, settings, joined, say, lookMs = LOOK_MS } = following;
  const path = following.file ?? settingsFile(home);
  let known = JSON.stringify(settings.servers ?? {});
  let others = withoutServers(settings);
  const look = () => {
    try {
      const next = bridgeSettings(home, path);
      const servers = JSON.stringify(next.servers ?? {});
      if (servers !== known) {
        const { started, stopped } = joined.follow(next.servers);
        known = servers;
        for (const name of stopped) say(`stopped the server ${name}`);
        for (const name of started) say(`starting the server ${name}`);
      }
      if (withoutServers(next) !== others) {
        others = withoutServers(next);
        say('bridge.json has other settings now; apart from servers they count from the next start');
      }
    } catch (error) {
      say(`bridge.json was changed, and nothing follows: ${errorText(error)}`);
    }
  };
  // Compare the file's mark. A watcher would stay at a file that is replaced, and miss what changed before it began.
  let seen: string | undefined;
  const timer = setInterval(() => {
    const mark = markOf(path);
    if (mark === seen) return;
    seen = mark;
    look();
  }, lookMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : 'none';
}

function withoutServers({ servers: _, ...others }: BridgeSettings): string {
  return JSON.stringify(others);
}
