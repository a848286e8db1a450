import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startUp, type Up } from '../support/up.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly product: Up['ready'];
  }
}

/** Starts the product once for all files that look at it through a browser. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'bowline-browser-'));
  const up = await startUp({ home });
  project.provide('product', up.ready);
  return async () => {
    await up.stop();
    rmSync(home, { recursive: true, force: true });
  };
}
