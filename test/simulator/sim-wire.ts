import type { World } from './world.ts';

export type Frame = string | Uint8Array;

interface End {
  heard(frame: Frame): void;
  closed(): void;
}

/** One connection: frames arrive in order and late, some twice; a cut is noticed by either end, some time or other. */
export class Wire {
  readonly #world: World;
  readonly #ends: { machine?: End; gateway?: End } = {};
  readonly #latest = { machine: 0, gateway: 0 };
  readonly #closed = { machine: false, gateway: false };
  #isCut = false;

  constructor(world: World) {
    this.#world = world;
  }

  attach(side: 'machine' | 'gateway', end: End): void {
    this.#ends[side] = end;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  send(to: 'machine' | 'gateway', frame: Frame): void {
    const world = this.#world;
    // A cut that the sender has not noticed swallows what it sends.
    if (this.#isCut || this.#closed[to === 'machine' ? 'gateway' : 'machine']) return;
    this.#deliver(to, frame, world.between(1, 30));
    if (world.strikes(0.03)) this.#deliver(to, frame, world.between(1, 3_000), true);
    if (world.strikes(0.01)) this.cut();
  }

  /** One end hangs up; the other learns of it after what was sent before. */
  close(side: 'machine' | 'gateway'): void {
    if (this.#closed[side]) return;
    this.#closed[side] = true;
    const other = side === 'machine' ? 'gateway' : 'machine';
    if (!this.#isCut) this.#tell(other, this.#world.between(1, 200));
  }

  /** Nothing gets through any more. Each end notices at once, or late, or when its pings go unanswered. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#world.note('the wire is cut');
    for (const side of ['machine', 'gateway'] as const) {
      this.#tell(side, this.#world.random() < 0.3 ? 50_000 : this.#world.between(0, 400));
    }
  }

  #deliver(to: 'machine' | 'gateway', frame: Frame, delay: number, isOutOfTurn = false): void {
    const world = this.#world;
    const at = isOutOfTurn ? world.now + delay : Math.max(this.#latest[to], world.now + delay);
    if (!isOutOfTurn) this.#latest[to] = at;
    const wasCut = () => this.#isCut && world.random() < 0.5;
    world.at(at - world.now, () => {
      // What was on its way when the wire was cut may still arrive: it may have been in a buffer behind the cut.
      if (!this.#closed[to] && !wasCut()) this.#ends[to]?.heard(frame);
      else if (this.#isCut) this.#skip(to);
    });
  }

  /** After a frame that is missing nothing may follow: what arrives is a beginning of what was sent. */
  #skip(to: 'machine' | 'gateway'): void {
    const end = this.#ends[to];
    if (end) this.#ends[to] = { heard: () => undefined, closed: () => end.closed() };
  }

  #tell(side: 'machine' | 'gateway', ms: number): void {
    this.#world.at(ms, () => {
      if (this.#closed[side]) return;
      this.#closed[side] = true;
      this.#ends[side]?.closed();
    });
  }
}
