import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './conformance-summary.ts';

/** Reads the results of a run of the suite: one folder per scenario, `<kind>-<scenario>-<time>/checks.json`. */
export function checksIn(results: string, kind: 'server' | 'authorization-server'): Map<string, Check[]> {
  const checks = new Map<string, Check[]>();
  if (!existsSync(results)) return checks;
  const named = new RegExp(`^${kind}-(.+)-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z$`);
  for (const name of readdirSync(results)) {
    const [, scenario = name] = named.exec(name) ?? [];
    const file = join(results, name, 'checks.json');
    // The folder of a scenario that the revision does not have stays empty.
    if (existsSync(file)) checks.set(scenario, JSON.parse(readFileSync(file, 'utf8')));
  }
  return checks;
}
