import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import * as z from 'zod';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { openLocalGate } from '../../local-bridge/local/gate/local-gate.ts';
import { runBowline } from '../support/command.ts';
import '../support/coverage-of-programs.ts';
import { newRepo, type TestRepo } from '../support/mirror-repo.ts';
import { startUp } from '../support/up.ts';
import { type StandIns, startStandIns } from './stand-ins.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly gateway: {
      readonly mcp: string;
      readonly rest: string;
      readonly token: string;
      readonly home: string;
      /** The folder that is open to tools. */
      readonly root: string;
      /** Where the services that the tools use are, as environment variables. */
      readonly settings: StandIns['settings'];
      /** A port for models that nobody else has. */
      readonly modelPort: number;
    };
  }
}

const feedShape = z.object({ at: z.number(), pending: z.array(z.object({ code: z.string() })) });

/** Starts the product once for all files of the suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'bowline-suite-'));
  const standIns = await startStandIns(home);
  Object.assign(process.env, standIns.settings);
  // What the machine's owner set on the machine: the model servers are started with a stand-in.
  writeFileSync(join(home, 'bridge.json'), JSON.stringify({ mlx: standIns.mlx }));
  const repo = exampleRepo();
  const up = await startUp({ home, args: ['--root', repo.root] });
  const { ready } = up;
  await mirror(repo, { BOWLINE_HOME: home, BOWLINE_URL: ready.rest, BOWLINE_TOKEN: ready.token });
  const owner = await ownerWhoSaysYes(ready.rest, ready.owner_key, home);
  project.provide('gateway', {
    mcp: ready.mcp,
    rest: ready.rest,
    token: ready.token,
    home,
    root: repo.root,
    settings: standIns.settings,
    modelPort: standIns.ports[0],
  });
  return async () => {
    await owner.leave();
    await up.stop();
    await standIns.close();
    repo.remove();
    rmSync(home, { recursive: true, force: true });
  };
}

/** A repo that holds what the examples of the contracts read. */
function exampleRepo(): TestRepo {
  const repo = newRepo();
  repo.commit({ 'paths/Advanced/tracker.md': '# Progress Tracker\n\n- [x] EDA notebook\n' });
  return repo;
}

async function mirror(repo: TestRepo, env: Readonly<Record<string, string>>): Promise<void> {
  const { code, stderr } = await runBowline(['mirror', 'push', '--root', repo.root], { env });
  if (code !== 0) throw new Error(`bowline mirror push ended with ${code}: ${stderr}`);
}

/** An owner who approves whatever waits, at the gateway and on this computer: asking is tested elsewhere. */
async function ownerWhoSaysYes(url: string, ownerKey: string, home: string) {
  const session = await signInAsOwner(url, ownerKey);
  const here = openLocalGate(home);
  let isThere = true;
  const atGateway = async () => {
    for (let after = 0; isThere; ) {
      const feed = feedShape.parse(await session.call('GET', `feed?after=${after}&wait=1`));
      after = feed.at;
      // Somebody may have been quicker, or the call's time may be over.
      for (const { code } of feed.pending)
        await session.call('POST', `approvals/${code}`, { decision: 'approve' }).catch(() => undefined);
    }
  };
  const onThisComputer = async () => {
    while (isThere) {
      for (const { code } of here.now().approvals('pending'))
        here.now().decide(code, 'approve', 'the suite', true);
      await wait(50);
    }
  };
  const deciding = Promise.all([atGateway(), onThisComputer()]);
  return {
    leave: async () => {
      isThere = false;
      await deciding;
      here.close();
      await session.signOut();
    },
  };
}
