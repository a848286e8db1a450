import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type PushOptions, pushOnce } from '../../local-bridge/agent/mirror/push.ts';
import { type RecordingGateway, recordingGateway } from './mirror-gateway.ts';
import { newRepo, type TestRepo } from './mirror-repo.ts';

export interface PushRig {
  gateway: RecordingGateway;
  repo: TestRepo;
  log: string[];
  push(over?: Partial<PushOptions>): ReturnType<typeof pushOnce>;
}

/** A gateway, a clone and a home of their own for each test of a file. */
export function pushRig(): PushRig {
  const rig = {
    log: [] as string[],
    push: (over: Partial<PushOptions> = {}) =>
      pushOnce({
        url: rig.gateway.url,
        root: rig.repo.root,
        bearer: async () => ({ authorization: 'Bearer for-tests' }),
        log: (line) => rig.log.push(line),
        ...over,
      }),
  } as PushRig;
  let home: string;
  const before = process.env.BOWLINE_HOME;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'bowline-home-'));
    process.env.BOWLINE_HOME = home;
    rig.log = [];
    rig.gateway = await recordingGateway();
    rig.repo = newRepo();
  });
  afterEach(async () => {
    await rig.gateway.close();
    rig.repo.remove();
    rmSync(home, { recursive: true, force: true });
    if (before === undefined) delete process.env.BOWLINE_HOME;
    else process.env.BOWLINE_HOME = before;
  });
  return rig;
}
