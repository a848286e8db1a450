import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { startUp, type Up } from '../support/up.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly product: Up['ready'];
    /** A port of this computer where a test may let another MCP server answer: the gateway reaches no other. */
    readonly joinedPort: number;
  }
}

/** Starts the product once for all files that look at it through a browser. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'bowline-browser-'));
  const joinedPort = await freePort(0);
  const up = await startUp({ home, env: { DEV_FETCH_ORIGINS: `http://127.0.0.1:${joinedPort}` } });
  project.provide('joinedPort', joinedPort);
  project.provide('product', up.ready);
  return async () => {
    await up.stop();
    rmSync(home, { recursive: true, force: true });
  };
}
