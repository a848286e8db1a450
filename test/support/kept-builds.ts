import { join, resolve } from 'node:path';

const KEPT = resolve(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'bowline');

/**
 * Lets the programs that tests start share the built Worker and compiled code, as starts from one home do. Each test has
 * a home of its own, so each start would make both anew.
 */
export function keepBuilds(environment: NodeJS.ProcessEnv): void {
  environment.BOWLINE_BUILT_WORKER ??= join(KEPT, 'worker');
  // Counts of lines are wrong in code that was compiled before.
  if (environment.COVERAGE !== '1') environment.NODE_COMPILE_CACHE ??= join(KEPT, 'compiled');
}
