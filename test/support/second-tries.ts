import type { Reporter, TestModule } from 'vitest/node';

/** Names, after all tests, those that passed only when they were tried again. Each has a race that somebody must mend. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        const why = test.result().errors?.[0]?.message.slice(0, 500);
        console.log(`Passed only at the second try: ${module.relativeModuleId} > ${test.fullName}: ${why}`);
      }
    }
  }
}
