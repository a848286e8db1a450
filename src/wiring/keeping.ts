import { eventsBus } from '../events/events-bus.ts';
import { openNewsLine } from '../events/news-line.ts';
import { makeMemory } from '../memory/memory-port.ts';
import type { GithubSettings } from '../mirror/github-hook.ts';
import { makeMirror } from '../mirror/mirror-port.ts';
import { bucketOf } from '../storage/bucket.ts';
import type { Parts } from './common.ts';
import { report } from './report.ts';

/** Wires what the gateway keeps for its owner: the memory, the mirror, and the events when either changes. */
export function keepingPorts({ env, objects, later }: Parts) {
  const events = eventsBus({
    publish: async (event) => objects.events().publish(event),
    listen: (after) =>
      openNewsLine(objects.events(), after === null ? '' : `?after=${encodeURIComponent(after)}`),
    later,
    report,
  });
  const memory = makeMemory({
    stub: objects.memory,
    signingKey: env.MEMORY_KEY,
    changed: (file) => events.publish({ kind: 'resource_updated', uri: `memory://${file}` }),
    later,
    report,
  });
  const mirror = makeMirror({ stub: objects.mirror, bucket: bucketOf(env) });
  const github: GithubSettings = {
    repo: env.GITHUB_REPO,
    branch: env.GITHUB_BRANCH ?? 'main',
    secret: env.GITHUB_WEBHOOK_SECRET,
  };
  const mail = {
    post: async (name: string, text: string) => objects.events().post(name, text),
    tell: async (name: string, text: string) => objects.events().tell(name, text),
    take: async (name: string, ms: number) => objects.events().take(name, ms),
  };
  return { events, mail, memory, mirror, github };
}
