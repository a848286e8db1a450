import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pairMachine } from '../../local-bridge/agent/pairing/pair.ts';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { localSecrets } from '../../local-bridge/local/up/local-secrets.ts';
import { startStandIns } from '../suite/stand-ins.ts';
import { type Running, startBowline } from '../support/bridge.ts';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { type GatewaySide, gatewaySide } from './gateway-side.ts';
import type { SoFar } from './lane.ts';
import { patientOwner } from './owner.ts';
import { mirror, RATES } from './prepare.ts';
import { endAll, MARK, ownProcesses } from './processes.ts';
import { putDiskUnder, type SmallDisk } from './small-disk.ts';

/** The product as it runs for its users, each side a process that can be ended, with a wire between them to cut. */
export interface Product {
  /** Where clients find the gateway; the machine comes by way of the proxy. */
  readonly url: string;
  readonly token: string;
  readonly owner: OwnerSession;
  readonly ownerKey: string;
  /** The folder with all of it. */
  readonly base: string;
  readonly home: string;
  /** Where the gateway keeps everything. */
  readonly state: string;
  /** The gateway's disk, if it has one of its own. */
  readonly gatewayDisk: SmallDisk | undefined;
  readonly root: string;
  readonly temporary: string;
  /** What processes of this run are known by. */
  readonly mark: string;
  /** While this file is there, the bridge's clock is off by so many milliseconds. */
  readonly clockMark: string;
  readonly origin: string;
  /** The ports for models that nobody else has. */
  readonly modelPorts: readonly number[];
  readonly proxy: CuttingProxy;
  readonly gateway: Pick<GatewaySide, 'setClock' | 'outages' | 'clocks'>;
  /** Ends the gateway with all its processes, at once or in order. */
  endGateway(how: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  startGateway(): Promise<void>;
  endBridge(how: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Whether it comes online is for others to see. */
  startBridge(): void;
  /** Starts another bridge, on the same folder or a copy of it. What becomes of it is for others to see. */
  startOther(home: string): Running;
  /** Starts `npm start` on the gateway's folder, which has to refuse it. */
  startUp(): Running;
  /** The bridge that runs, which from now on may end. */
  letBridgeEnd(): Running | undefined;
  /** Pairs the machine, which the owner confirms. */
  pair(): Promise<void>;
  /** The last that it said. */
  bridgeSaid(): string;
  /** What keeps a call that changes something from the machine's bridge, which both sides have to be ready for. */
  keptFromBridge(): Promise<string | undefined>;
  /** The lasting terminals that the bridge runs. */
  runningTerminals(): Promise<string[]>;
  soFar(): SoFar;
  /** Fills the bridge's disk, or makes room on it. */
  fillDisk(isFull: boolean): void;
  stop(): Promise<void>;
}

export const MACHINE = 'soaked';
/** A file that takes a while to read, and its lines. */
export const LONG_FILE = {
  path: 'long.txt',
  line: 'One of many lines that a slow reader has to take in.\n',
  lines: 120_000,
};

interface Answer {
  readonly code?: string;
  readonly metadata?: { readonly sessions: { readonly session: string; readonly running: boolean }[] };
}

/** Far longer than an answer takes. */
const ANSWER_MS = 20_000;

interface ProductOptions {
  readonly seed: number;
  /** Gives the gateway a disk of its own, where the system lets this user. */
  readonly hasDisk: boolean;
  /** Gives the gateway a clock that can be set. */
  readonly hasClock: boolean;
  /** Leaves its folder when this process ends. */
  readonly keep: boolean;
  /** Told of a side that ended although nobody ended it. */
  died(what: string): void;
}

export async function startProduct({
  seed,
  keep,
  hasDisk,
  hasClock,
  died,
}: ProductOptions): Promise<Product> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-soak-')));
  const [home, state, root, temporary] = ['home', 'state', 'root', 'tmp'].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, state, root, temporary]) mkdirSync(folder, { mode: 0o700 });
  const gatewayDisk = hasDisk ? putDiskUnder(state) : undefined;
  const mark = `${seed}-${process.pid}`;
  const standIns = await startStandIns(base);
  Object.assign(process.env, standIns.settings, { [MARK]: mark });
  writeFileSync(join(home, 'bridge.json'), JSON.stringify({ mlx: standIns.mlx }));
  writeFileSync(join(root, LONG_FILE.path), LONG_FILE.line.repeat(LONG_FILE.lines));
  const port = await freePort(0);
  const url = `http://localhost:${port}`;
  const proxy = await startCuttingProxy(url);
  const { ownerKey, envFile } = localSecrets(state);
  const fullMark = join(base, 'full');
  const clockMark = join(base, 'clock');
  const gateway = gatewaySide({ port, url, state, envFile, publicUrl: proxy.url, hasClock });
  let bridge: Running | undefined;
  let bridges = 0;
  let fullDisks = 0;

  // However this process ends, nothing of the run stays: not what the checker found still there, either.
  process.once('exit', () => {
    gateway.kill();
    bridge?.child.kill('SIGKILL');
    endAll(ownProcesses(mark, base));
    if (!keep) gatewayDisk?.remove();
    // What was just killed may still add a file.
    if (!keep) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  });

  const startOther = (ofHome: string) => {
    const preloads = ['./full-disk.ts', './set-clock.ts'].map((name) => new URL(name, import.meta.url).href);
    return startBowline(['connect', '--root', `root=${root}`, '--no-approvals', '--closed', state], {
      BOWLINE_HOME: ofHome,
      TMPDIR: temporary,
      BOWLINE_SOAK_FULL: fullMark,
      BOWLINE_SOAK_CLOCK: clockMark,
      NODE_OPTIONS: preloads.map((preload) => `--import=${preload}`).join(' '),
    });
  };
  const startUp = () => {
    const where = ['--state', state, '--root', temporary, '--port', '0'];
    return startBowline(['up', '--once', ...where], { BOWLINE_HOME: join(base, 'other'), TMPDIR: temporary });
  };
  const upBridge = () => {
    bridge = startOther(home);
    bridges += 1;
    const started = bridge;
    void started.ended.then((code) => {
      if (bridge === started)
        died(`The bridge ended with ${code} by itself: ${started.output().slice(-1_500)}`);
    });
  };
  const endBridge = async (how: 'SIGKILL' | 'SIGTERM') => {
    const ending = bridge;
    bridge = undefined;
    bridges += 1;
    return (await ending?.end(how)) ?? null;
  };
  const stop = async () => {
    await endBridge('SIGTERM');
    await gateway.end('SIGTERM');
    proxy.stop();
    await standIns.close();
  };
  try {
    await gateway.start();
    const owner = patientOwner(await signInAsOwner(url, ownerKey));
    const { secret: token } = await owner.createToken({
      name: 'soak',
      scopes: ['read', 'write', 'machine'],
      // Longer than its clock is set.
      days: 30,
    });
    await owner.call('PUT', 'settings/rates', { value: RATES });
    const callOnce = async (tool: string, input: object): Promise<Answer> => {
      const response = await fetch(`${url}/tools/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return (await response.json()) as Answer;
    };
    const pair = async () => {
      await pairMachine({
        ...{ url: proxy.url, home, name: MACHINE },
        onCode: async ({ code, fingerprint }) =>
          void (await owner.call('POST', `machines/pair/${code}`, { decision: 'confirm', fingerprint })),
      });
    };
    await pair();
    upBridge();
    await bridge?.shows(/● online/);
    await mirror(root, { BOWLINE_HOME: home, BOWLINE_URL: url, BOWLINE_OWNER_KEY: ownerKey });
    return {
      ...{
        url,
        token,
        owner,
        ownerKey,
        base,
        home,
        state,
        gateway,
        gatewayDisk,
        root,
        temporary,
        mark,
        clockMark,
        proxy,
      },
      origin: standIns.settings.DEV_FETCH_ORIGINS,
      modelPorts: standIns.ports,
      ...{
        endGateway: gateway.end,
        startGateway: gateway.start,
        endBridge,
        startBridge: upBridge,
        startOther,
        startUp,
        pair,
        stop,
      },
      letBridgeEnd: () => {
        const ending = bridge;
        bridge = undefined;
        bridges += 1;
        return ending;
      },
      bridgeSaid: () => bridge?.output().slice(-1_500) ?? '',
      // Only the bridge knows that.
      keptFromBridge: async () => {
        const answer = await callOnce('terminal_stop', { session: 'none' });
        return answer.code === 'session_not_found' ? undefined : JSON.stringify(answer).slice(0, 300);
      },
      runningTerminals: async () => {
        const { metadata } = await callOnce('terminal_list', {});
        if (!metadata) throw new Error('The bridge did not list its terminals.');
        return metadata.sessions.filter(({ running }) => running).map(({ session }) => session);
      },
      soFar: () => ({ bridges, fullDisks }),
      fillDisk: (isFull) => {
        if (isFull) fullDisks += 1;
        if (isFull) writeFileSync(fullMark, '');
        else rmSync(fullMark, { force: true });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
