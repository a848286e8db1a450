import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { signInAsOwner } from '../../local-bridge/owner-client.ts';
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
  await letEverythingRun(ready.rest, ready.owner_key);
  project.provide('gateway', { mcp: ready.mcp, rest: ready.rest, token: ready.token, home });
  return async () => {
    await up.stop();
    rmSync(home, { recursive: true, force: true });
  };
}

/** Gives the standing yes that lets the suite's calls through: what asking is like is tested elsewhere. */
async function letEverythingRun(url: string, ownerKey: string): Promise<void> {
  const owner = await signInAsOwner(url, ownerKey);
  const entry = { file: 'best_practices.md', entry: 'x' };
  await owner.call('POST', 'rules', {
    tool: 'write_memory_entry',
    effect: 'allow',
    match: { kind: 'arguments', fields: { file: { any: true }, entry: { any: true } } },
    examples: { must: [JSON.stringify(entry)], mustNot: [JSON.stringify({ ...entry, other: 1 })] },
  });
  await owner.signOut();
}
