import { join } from 'node:path';
import { type Gateway, startGateway } from '../../local-bridge/local/up/gateway.ts';
import { takeStateFolder } from '../../local-bridge/local/up/state.ts';
import { PROJECT } from '../support/up.ts';
import type { ClockOff, Outage } from './history.ts';
import { onceMore } from './owner.ts';

/** A gateway's process that can be ended, whose clock can be set, and what that did to it when. */
export interface GatewaySide {
  start(): Promise<void>;
  end(how: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Sets its clock ahead by so much, or back if that is below zero, until it is set again or ends. */
  setClock(byMs: number): Promise<void>;
  kill(): void;
  readonly outages: Outage[];
  readonly clocks: ClockOff[];
}

interface GatewayOptions {
  readonly port: number;
  readonly url: string;
  readonly state: string;
  readonly envFile: string;
  readonly publicUrl: string;
  /** Runs it in the Worker whose clock can be set. */
  readonly hasClock: boolean;
}

/** The gateway as `npm start` runs it. */
export function gatewaySide(options: GatewayOptions): GatewaySide {
  const { port, url, state, envFile, publicUrl, hasClock } = options;
  const other = {
    config: join(PROJECT, 'wrangler.toml'),
    entry: join(PROJECT, 'test', 'fixtures', 'gateway-clock', 'worker.ts'),
  };
  const outages: Outage[] = [];
  const clocks: ClockOff[] = [];
  let gateway: Gateway | undefined;
  let folder: ReturnType<typeof takeStateFolder> | undefined;
  let off: { readonly byMs: number; readonly at: number } | undefined;
  const clockIsRight = () => {
    if (off) clocks.push({ ...off, until: Date.now() });
    off = undefined;
  };
  return {
    ...{ outages, clocks },
    start: async () => {
      // As `npm start` does, which another one sees.
      folder = takeStateFolder(state, url);
      const { writes } = folder;
      const vars = { PUBLIC_URL: publicUrl };
      gateway = startGateway({
        ...{ port, stateFolder: state, vars, envFile, writes },
        ...(hasClock ? { other } : {}),
      });
      await gateway.ready;
    },
    end: async (how) => {
      const at = Date.now();
      if (how === 'SIGTERM') await gateway?.stop();
      else gateway?.kill();
      await gateway?.ended;
      clockIsRight();
      outages.push({ is: 'ended', at, until: Date.now() });
      gateway = undefined;
      folder?.release();
      folder = undefined;
    },
    setClock: async (byMs) => {
      clockIsRight();
      const at = Date.now();
      const set = () => fetch(`${url}/soak-clock`, { method: 'POST', body: String(byMs) });
      const response = await onceMore(set);
      if (!response.ok) throw new Error(`The gateway's clock was not set: ${response.status}`);
      if (byMs !== 0) off = { byMs, at };
    },
    kill: () => gateway?.kill(),
  };
}

/** When something was written down that a gateway with such clocks gave a time. */
export function realTime(at: number, clocks: readonly ClockOff[]): number {
  const off = clocks.find((clock) => clock.at <= at - clock.byMs && at - clock.byMs <= clock.until);
  return off ? at - off.byMs : at;
}
