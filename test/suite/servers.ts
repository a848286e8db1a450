import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startUp } from '../support/up.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly gateway: {
      readonly mcp: string;
      readonly rest: string;
      readonly token: string;
      readonly home: string;
    };
  }
}

/** Starts the product once for all files of the suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'bowline-suite-'));
  const up = await startUp({ home });
  const ready = JSON.parse(readFileSync(up.readyFile, 'utf8'));
  project.provide('gateway', { mcp: ready.mcp, rest: ready.rest, token: ready.token, home });
  return async () => {
    await up.stop();
    rmSync(home, { recursive: true, force: true });
  };
}
