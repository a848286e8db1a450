import type { CallAnswer, MachineCall } from '../../src/machines/link-ports.ts';
import type { Broken } from './broken.ts';
import { Ledger } from './ledger.ts';
import { SimGateway } from './sim-gateway.ts';
import { SimMachine } from './sim-machine.ts';
import { SimSql } from './sim-sql.ts';
import { World } from './world.ts';

const STORM_MS = 60_000;
/** Long enough after the storm for every hold, time-out and silence to run out. */
const CALM_MS = 400_000;
const DIGEST = '0'.repeat(64);

let sql: SimSql | undefined;

interface Sides {
  readonly world: World;
  readonly gateway: SimGateway;
  readonly machine: SimMachine;
  readonly ledger: Ledger;
}

export interface Simulated {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

/** Lives one life of a gateway and a machine, the real classes of both, in a storm; the same for the same seed. */
export function simulate(seed: number, broken?: Broken): Simulated {
  sql ??= new SimSql();
  const world = new World(seed);
  const ledger = new Ledger(world);
  const gateway = new SimGateway(world, sql, broken);
  const machine = new SimMachine(world, gateway, ledger, broken);
  machine.start();
  const calls = world.between(4, 14);
  for (let i = 0; i < calls; i++) {
    world.at(world.between(0, STORM_MS), () => ask(world, gateway, ledger, `c${i}`));
  }
  const faults = world.between(0, 8);
  for (let i = 0; i < faults; i++) {
    world.at(world.between(0, STORM_MS), () => strike(world, gateway, machine));
  }
  if (seed % 3 === 0) world.at(world.between(0, STORM_MS), () => meddle({ world, gateway, machine, ledger }));
  world.at(STORM_MS, () => {
    world.isStormy = false;
  });
  world.runUntil(world.now + STORM_MS + CALM_MS);
  return { violations: ledger.violations(sql), trace: world.trace };
}

function strike(world: World, gateway: SimGateway, machine: SimMachine): void {
  const chance = world.random();
  if (chance < 0.4) machine.cut();
  else if (chance < 0.6) gateway.evict();
  else if (chance < 0.7) gateway.crash();
  else machine.crash(chance > 0.9);
}

/** Something that is rare in a life: a copied folder, or a backup of either side that is put back. */
function meddle({ world, gateway, machine, ledger }: Sides): void {
  const chance = world.random();
  if (chance < 0.25) machine.copy(`copy ${world.now}`);
  else if (chance < 0.5) machine.clone();
  else if (chance < 0.7) {
    const putBack = machine.backUp();
    world.at(world.between(0, 20_000), () => putBack(`backup ${world.now}`));
  } else {
    const putBack = gateway.backUp();
    world.at(world.between(0, 20_000), () => {
      putBack();
      ledger.forgetAll();
    });
  }
}

/** Calls as the Worker does: asks again, by the same id, when the object was lost under it. */
function ask(world: World, gateway: SimGateway, ledger: Ledger, id: string): void {
  const isEffect = world.random() < 0.75;
  const size = world.random() < 0.02 ? world.between(120_000, 400_000) : world.between(0, 300);
  const isLong = world.random() < 0.02;
  const padding = isLong ? { padding: 'p'.repeat(world.between(32_000, 150_000)) } : {};
  const call: MachineCall = {
    id,
    tool: 'act',
    principal: 'p',
    client: 'c',
    text: JSON.stringify({ id, isEffect, ...padding }),
    digest: DIGEST,
    effect: isEffect,
    timeoutMs: world.between(30_000, 120_000),
  };
  ledger.asked(id, isEffect, size);
  const attempt = (left: number) => {
    gateway.call(call, (answer: CallAnswer | 'lost') => {
      if (answer !== 'lost') ledger.answered(id, answer);
      if (answer === 'lost' && left > 1) world.at(1, () => attempt(left - 1));
      else ledger.settled(id);
    });
  };
  attempt(3);
  if (world.random() < 0.15) world.at(world.between(1, 5_000), () => gateway.cancel(id));
}
