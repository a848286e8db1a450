import type { Reporter, TestModule } from 'vitest/node';

const SLOW_MS = 10_000;

/** Says in one line, after all tests, which files took more than ten seconds. */
export class SlowFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slow = modules
      .map((module) => ({ path: module.relativeModuleId, ms: module.diagnostic().duration }))
      .filter(({ ms }) => ms > SLOW_MS)
      .toSorted((one, other) => other.ms - one.ms)
      .map(({ path, ms }) => `${path} ${Math.round(ms / 1_000)} s`);
    if (slow.length > 0) console.log(`Over ${SLOW_MS / 1_000} s: ${slow.join(' · ')}`);
  }
}
