import { Backoff } from '../../local-bridge/agent/link/backoff.ts';
import { Journal } from '../../local-bridge/agent/link/journal.ts';
import { type Job, MachineLink, type MachineSocket } from '../../local-bridge/agent/link/machine-link.ts';
import type { Broken } from './broken.ts';
import type { Ledger } from './ledger.ts';
import { Crash, SimDisk } from './sim-disk.ts';
import type { SimGateway } from './sim-gateway.ts';
import { type Frame, Wire } from './sim-wire.ts';
import type { World } from './world.ts';

/** The machine: a process that comes and goes, and a disk that stays unless it is lost. */
export class SimMachine {
  readonly #world: World;
  readonly #gateway: SimGateway;
  readonly #ledger: Ledger;
  readonly #broken: Broken | undefined;
  #disk: SimDisk;
  readonly #isCopy: boolean;
  readonly #running = new Set<string>();
  /** Which process it is; a dead one's timers and sends come to nothing. */
  #life = 0;
  #isUp = false;
  #wire: Wire | undefined;
  #lastNumber = 0;
  #arrivedWith = '';

  constructor(
    world: World,
    gateway: SimGateway,
    ledger: Ledger,
    broken: Broken | undefined,
    copied?: SimDisk,
  ) {
    this.#world = world;
    this.#gateway = gateway;
    this.#ledger = ledger;
    this.#broken = broken;
    this.#disk = copied ?? new SimDisk(world, broken);
    this.#isCopy = copied !== undefined;
  }

  start(): void {
    const world = this.#world;
    const life = ++this.#life;
    this.#isUp = true;
    world.note('the machine starts');
    this.#guard(life, () => {
      const disk = this.#disk.open((where) => this.#die(life, where));
      const newId = () => (this.#broken === 'forgotten' ? 'j' : `j${world.between(0, 1_000_000_000)}`);
      const journal = new Journal(disk, newId, 'm');
      // A machine that remembers would not run a frame that comes twice, either.
      if (this.#broken === 'unremembered' || this.#broken === 'repeated') forgetAcknowledged(journal);
      const runner = {
        tools: 1,
        isEffect: () => false,
        run: (job: Job, _: unknown, ended: (end: { ok: boolean; bytes: Uint8Array }) => void) =>
          this.#run(life, job, ended),
      };
      const link = new MachineLink(journal, runner, () => undefined);
      this.#dial(life, link, journal, new Backoff(() => world.random()));
      if (world.strikes(0.2)) world.at(world.between(100, 20_000), () => this.#drain(life, link));
    });
  }

  cut(): void {
    this.#wire?.cut();
  }

  crash(isDiskLost: boolean): void {
    if (!this.#isUp) return;
    this.#world.note(isDiskLost ? 'the machine crashes and loses its disk' : 'the machine crashes');
    this.#end();
    if (!isDiskLost) return;
    this.#disk.lose();
    this.#ledger.excuseAll();
  }

  /** Another machine begins with what this one has on its disk now. */
  copy(place: string): void {
    this.#world.note('the machine is copied');
    new SimMachine(this.#world, this.#gateway, this.#ledger, this.#broken, this.#disk.copy(place)).start();
  }

  /** The whole computer is shut down and cloned, and both start: nothing tells them apart. */
  clone(): void {
    this.crash(false);
    this.copy('first');
  }

  /** Keeps the disk as it is now, and gives what puts it back, elsewhere. */
  backUp(): (place: string) => void {
    const kept = this.#disk.copy('');
    return (place) => {
      if (!this.#isUp) return;
      this.#world.note('the machine is put back');
      this.#end();
      this.#disk = kept.copy(place);
    };
  }

  /** The owner makes it the machine again, or lets a copy stop for good. */
  #turnedAway(): void {
    this.#world.note('a machine is turned away');
    const isWanted = !this.#isCopy || this.#world.random() < 0.5;
    this.#life += 1;
    this.#isUp = false;
    this.#ledger.excuseBegun();
    this.#running.clear();
    this.#wire?.close('machine');
    if (!isWanted) return;
    this.#disk.lose();
    this.#world.at(this.#world.between(1_000, 20_000), () => this.start());
  }

  #drain(life: number, link: MachineLink): void {
    if (life !== this.#life) return;
    this.#world.note('the machine drains');
    this.#guard(life, () =>
      link.drain(() => {
        // The last frames leave before the process does.
        this.#world.at(50, () => life === this.#life && this.#end());
      }),
    );
  }

  #end(): void {
    this.#life += 1;
    this.#isUp = false;
    this.#ledger.excuseBegun();
    this.#running.clear();
    this.#disk.crash();
    this.#wire?.close('machine');
    this.#world.at(this.#world.between(100, 10_000), () => this.start());
  }

  #die(life: number, where: string): void {
    if (life !== this.#life) throw new Crash(where);
    if (!this.#world.strikes(0.005)) return;
    this.#world.note(`the machine dies ${where}`);
    this.#end();
    throw new Crash(where);
  }

  /** What happens in a process that dies ends there. */
  #guard(life: number, act: () => void): void {
    if (life !== this.#life) return;
    try {
      act();
    } catch (error) {
      if (!(error instanceof Crash)) this.#wire?.cut();
    }
  }

  #dial(life: number, link: MachineLink, journal: Journal, backoff: Backoff): void {
    if (life !== this.#life) return;
    const world = this.#world;
    const wire = new Wire(world);
    this.#wire = wire;
    let upAt: number | undefined;
    let isDown = false;
    const down = () => {
      if (isDown) return;
      isDown = true;
      wire.close('machine');
      this.#guard(life, () => link.detach());
      const wait = upAt === undefined ? backoff.afterFailure() : backoff.afterLoss(world.now - upAt);
      world.at(wait, () => this.#dial(life, link, journal, backoff));
    };
    const socket: MachineSocket = {
      send: (frame) => {
        this.#die(life, 'before a send');
        if (!isDown) wire.send('gateway', this.#altered(frame));
        this.#die(life, 'after a send');
      },
      close: down,
    };
    wire.attach('machine', {
      heard: (frame) =>
        this.#guard(life, () => {
          if (isDown) return;
          if (upAt === undefined) {
            upAt = world.now;
            this.#lastNumber = 0;
            link.attach(socket, JSON.parse(String(frame)).epoch);
          } else if (!link.message(socket, this.#heard(frame))) down();
        }),
      closed: down,
    });
    const greeting = world.between(20, 300);
    world.at(greeting, () => {
      if (life !== this.#life || isDown || wire.isCut) return;
      // Until the gateway hears of the loss, it sends calls to a machine that it takes for the old one.
      const { id, epoch, isMoved } = journal;
      if (id !== this.#arrivedWith || isMoved) this.#ledger.excuseAll();
      this.#arrivedWith = id;
      if (this.#gateway.arrive(wire, id, epoch, isMoved)) return;
      this.#turnedAway();
    });
    world.at(10_000, () => upAt === undefined && life === this.#life && down());
  }

  #run(life: number, job: Job, ended: (end: { ok: boolean; bytes: Uint8Array }) => void): () => void {
    const world = this.#world;
    this.#running.add(job.id);
    // What the call is about, whatever id it came under.
    const { id, isEffect } = JSON.parse(job.text);
    if (isEffect) this.#ledger.begin(id);
    let end = world.between(1, world.random() < 0.1 ? 60_000 : 300);
    const begin = Math.floor(end * world.random());
    let isOver = false;
    const finish = () =>
      this.#guard(life, () => {
        if (isOver) return;
        isOver = true;
        const body = isEffect ? this.#ledger.result(id) : this.#ledger.readResult(id);
        ended({ ok: true, bytes: new TextEncoder().encode(body) });
        this.#running.delete(job.id);
        if (life === this.#life && isEffect) this.#ledger.finish(id);
      });
    world.at(begin, () => life === this.#life && !isOver && isEffect && this.#ledger.run(id));
    world.at(end, finish);
    return () => {
      end = 0;
      world.at(1, finish);
    };
  }

  #heard(frame: Frame): Frame {
    if (typeof frame !== 'string') return frame;
    const said = JSON.parse(frame);
    if (said.type === 'welcome') return JSON.stringify({ type: 'error', code: 'again', message: 'welcome' });
    if (said.type !== 'call') return frame;
    if (this.#broken === 'unjoined' && this.#running.has(said.id)) {
      return JSON.stringify({ ...said, id: `${said.id}_${said.n}` });
    }
    if (this.#broken === 'repeated' && said.n <= this.#lastNumber) {
      return JSON.stringify({ ...said, n: this.#lastNumber + 1 });
    }
    this.#lastNumber = Math.max(this.#lastNumber, said.n);
    return frame;
  }

  #altered(frame: Frame): Frame {
    if (this.#broken !== 'guessed' || typeof frame !== 'string') return frame;
    const said = JSON.parse(frame);
    return said.type === 'too_late' ? JSON.stringify({ type: 'cancelled', n: said.n, why: 'asked' }) : frame;
  }
}

/** Breaks the rule that a machine remembers what was acknowledged. */
function forgetAcknowledged(journal: Journal): void {
  const find = journal.find.bind(journal);
  journal.find = (call) => (journal.held().includes(call) ? find(call) : undefined);
}
