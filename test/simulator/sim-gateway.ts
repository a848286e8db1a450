import { type MachineAbout, PROTOCOLS } from '../../contracts/link.ts';
import { GatewayLink } from '../../src/machines/gateway-link.ts';
import type { CallAnswer, LinkSocket, MachineCall } from '../../src/machines/link-ports.ts';
import * as machine from '../../src/machines/machine-row.ts';
import type { Broken } from './broken.ts';
import type { SimSql } from './sim-sql.ts';
import type { Frame, Wire } from './sim-wire.ts';
import type { World } from './world.ts';

const about: MachineAbout = { roots: [], tools: [], version: '1' };

interface SimSocket extends LinkSocket {
  readonly wire: Wire;
}

/** The machine's object: its database outlives it, its sockets outlive its memory, and its callers neither. */
export class SimGateway {
  readonly #world: World;
  readonly #sql: SimSql;
  readonly #broken: Broken | undefined;
  readonly #sockets = new Set<SimSocket>();
  readonly #waiting = new Map<symbol, (answer: CallAnswer | 'lost') => void>();
  readonly #sent = new Set<string>();
  #life = 0;
  #link: GatewayLink | undefined;
  /** What leaves only once the turn's writes are on disk. */
  #outgoing: (() => void)[] = [];

  constructor(world: World, sql: SimSql, broken: Broken | undefined) {
    this.#world = world;
    this.#sql = sql;
    this.#broken = broken;
    sql.reset();
    machine.enrol(sql, { id: 'm', name: 'mini', publicKey: 'k', origin: 'o' });
  }

  get sql(): SimSql {
    return this.#sql;
  }

  /** A machine that has proved itself is here. Tells whether it is let in. */
  arrive(wire: Wire, journal: string, stored: number, moved: boolean): boolean {
    let [epoch, numbered] = [0, 0];
    const socket: SimSocket = {
      wire,
      get epoch() {
        return epoch;
      },
      adopt: (risen) => {
        epoch = risen;
      },
      get numbered() {
        return numbered;
      },
      number: (upTo) => {
        numbered = upTo;
      },
      send: (frame) => this.#gate(() => wire.send('machine', this.#altered(frame))),
      close: () => this.#gate(() => this.#drop(socket)),
    };
    this.#sockets.add(socket);
    wire.attach('gateway', {
      heard: (frame) => {
        if (this.#broken === 'hasty_ack') this.#ackUnwritten(wire, frame);
        // A gateway that remembers what the machine began finds most of what such a journal forgot.
        if (this.#broken === 'moved' && typeof frame === 'string' && frame.includes('"accepted"')) return;
        this.#turn((link) => link.message(this.#the(socket, link), frame));
      },
      closed: () => {
        this.#sockets.delete(socket);
        this.#turn((link) => link.closed(this.#the(socket, link)));
      },
    });
    let isLetIn = true;
    this.#turn((link) => {
      const known = machine.epochOf(this.#sql);
      const epoch = this.#broken === 'copied' && stored > 0 ? Math.max(stored, known) : stored;
      isLetIn = link.join(socket, { protocol: PROTOCOLS[0], journal, epoch, moved, about });
    });
    if (!isLetIn) this.#drop(socket);
    return isLetIn;
  }

  /** Keeps the database as it is now, and gives what puts it back. */
  backUp(): () => void {
    const putBack = this.#sql.backUp();
    return () => {
      this.#world.note('the gateway is put back');
      this.crash();
      putBack();
    };
  }

  /** Calls, and tells the answer, or that this object was gone before it could give one. */
  call(call: MachineCall, answered: (answer: CallAnswer | 'lost') => void): void {
    const key = Symbol();
    this.#waiting.set(key, answered);
    this.#turn((link) =>
      link.call(call, {
        answer: (answer) =>
          this.#gate(() => {
            if (this.#waiting.delete(key)) answered(answer);
          }),
        progress: () => undefined,
      }),
    );
  }

  cancel(id: string): void {
    this.#turn((link) => link.cancel(id));
  }

  /** It forgets all but its database and its sockets. */
  evict(): void {
    this.#life += 1;
    this.#link = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const lost of waiting) lost('lost');
  }

  /** It stops, and its sockets with it. */
  crash(): void {
    this.#world.note('the gateway crashes');
    for (const socket of [...this.#sockets]) this.#drop(socket);
    this.evict();
  }

  #turn(act: (link: GatewayLink) => void) {
    const world = this.#world;
    this.#outgoing = [];
    this.#sql.begin();
    act(this.#awake());
    if (world.strikes(0.004)) {
      this.#sql.rollback();
      return this.crash();
    }
    this.#sql.commit();
    if (world.strikes(0.004)) return this.crash();
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const leave of outgoing) leave();
  }

  #awake(): GatewayLink {
    const world = this.#world;
    const life = this.#life;
    this.#link ??= new GatewayLink({
      sql: this.#sql,
      transaction: (act) => act(),
      now: () => world.now,
      after: (ms, act) => {
        return world.at(ms, () => {
          if (life === this.#life) this.#turn(act);
        });
      },
      sockets: () => [...this.#sockets].filter(({ epoch }) => epoch > 0),
      // Alarms outlive the object.
      wakeWithin: (ms) => void world.at(ms, () => this.#turn((link) => void link.sweep())),
      report: (error) => {
        throw error;
      },
    });
    return this.#link;
  }

  #gate(leave: () => void): void {
    if (this.#broken === 'unwritten') leave();
    else this.#outgoing.push(leave);
  }

  #drop(socket: SimSocket): void {
    if (this.#broken === 'old_sockets' && socket !== this.#link?.socket) return;
    this.#sockets.delete(socket);
    socket.wire.close('gateway');
  }

  #the(socket: SimSocket, link: GatewayLink): LinkSocket {
    return this.#broken === 'old_sockets' ? (link.socket ?? socket) : socket;
  }

  #ackUnwritten(wire: Wire, frame: Frame): void {
    if (typeof frame === 'string') return;
    const n = new DataView(frame.buffer, frame.byteOffset).getFloat64(0);
    const calls = this.#sql.exec<{ id: string }>('SELECT id FROM call WHERE n = ?', n).toArray();
    wire.send('machine', JSON.stringify({ type: 'ack', calls: calls.map(({ id }) => id) }));
  }

  #altered(frame: Frame): Frame {
    if (this.#broken !== 'renamed' || typeof frame !== 'string') return frame;
    const said = JSON.parse(frame);
    if (said.type !== 'call') return frame;
    const isAgain = this.#sent.has(said.id);
    this.#sent.add(said.id);
    return isAgain ? JSON.stringify({ ...said, id: `${said.id}_${said.n}` }) : frame;
  }
}
