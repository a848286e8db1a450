import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type Examination, examine } from '../../local-bridge/cli/doctor/examine.ts';
import type { Reported } from '../../local-bridge/cli/doctor/finding.ts';
import { verdict } from '../../local-bridge/cli/doctor/report.ts';
import { type Break, doctorGateway, type Heard, type Reply } from './doctor-gateway.ts';
import type { WebServer } from './web-server.ts';

/** What is broken, how, the hop that has to be named, and words of its cure. */
export type BrokenGateway = [
  what: string,
  broken: Break,
  hop: string,
  cure: RegExp,
  more?: Partial<Examination>,
];

/** A stand-in of each test's own, closed after it, with nothing of this computer's in the way. */
export function doctorBench() {
  let server: WebServer | undefined;
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'bowline-doctor-'));
    vi.stubEnv('BOWLINE_HOME', home);
    vi.stubEnv('BOWLINE_TOKEN', '');
  });
  const stop = async () => {
    await server?.close();
    server = undefined;
  };
  afterEach(async () => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
    await stop();
  });
  const start = async (broken: Break = {}) => {
    server = await doctorGateway(broken);
    return server;
  };
  const look = async (broken: Break, more: Partial<Examination> = {}): Promise<Reported[]> =>
    examine({ url: (await start(broken)).origin, ownerKey: 'key', heard: () => undefined, ...more });
  return {
    start,
    stop,
    look,
    asked: () => server?.asked ?? [],
    /** Looks, and expects just that to be found. */
    finds: async ([, broken, hop, cure, more]: BrokenGateway) => {
      const findings = await look(broken, more);
      const { section, check, cure: said } = failure(findings) ?? warningIn(findings) ?? {};
      expect(`${section} › ${check}`).toBe(hop);
      expect(said).toMatch(cure);
      if (failure(findings)) expect(verdict(findings)).toContain(`The first failing hop is ${hop}. ${said}`);
    },
  };
}

export const failure = (findings: readonly Reported[]) => findings.find(({ state }) => state === 'failed');
const warningIn = (findings: readonly Reported[]) => findings.find(({ state }) => state === 'warning');

/** Breaks one path alone. */
export const on = (path: string, reply: (heard: Heard) => Reply): Break => ({
  instead: (heard) => (heard.path === path ? reply(heard) : undefined),
});

export const silent: Reply = { silent: true };
