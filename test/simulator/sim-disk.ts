import type { Disk } from '../../local-bridge/agent/link/disk.ts';
import type { Broken } from './broken.ts';
import type { World } from './world.ts';

/** The process died here. */
export class Crash extends Error {}

/** What a backup of a machine's disk holds. */
export interface SimDiskState {
  readonly synced: string | undefined;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A machine's disk: what was synced survives its process, and of the rest some beginning. */
export class SimDisk {
  readonly #world: World;
  readonly #broken: Broken | undefined;
  readonly #place: string;
  #synced: string | undefined;
  #pending = '';
  readonly #files = new Map<string, Uint8Array>();

  constructor(world: World, broken: Broken | undefined, place = 'first') {
    this.#world = world;
    this.#place = place;
    this.#broken = broken;
  }

  /** What one process sees of it. `die` ends that process at a bad moment, or says that it is dead already. */
  open(die: (where: string) => void): Disk {
    return {
      place: this.#broken === 'moved' ? 'first' : this.#place,
      load: () => {
        if (this.#broken !== 'rerun') return this.#synced;
        return this.#synced?.replaceAll(/^.*"is":"started".*\n/gm, '');
      },
      append: (text) => {
        die('before an append');
        this.#pending += text;
        die('after an append');
      },
      sync: () => {
        die('before a sync');
        if (this.#broken !== 'unsynced') this.#flush(this.#pending.length);
        die('after a sync');
      },
      replace: (text) => {
        die('before a rewrite');
        this.#synced = text;
        this.#pending = '';
        die('after a rewrite');
      },
      keep: (name, bytes) => {
        die('before keeping a result');
        this.#files.set(name, bytes.slice());
        die('after keeping a result');
      },
      slice: (name, from, to) => {
        const file = this.#files.get(name);
        if (!file) throw new Error(`There is no ${name}.`);
        return file.subarray(from, to);
      },
      drop: (name) => this.#files.delete(name),
      dropOthers: (than) => {
        for (const name of this.#files.keys()) if (!than.has(name)) this.#files.delete(name);
      },
    };
  }

  /** The power goes: of what was not synced, any beginning may have made it. */
  crash(): void {
    this.#flush(this.#world.between(0, this.#pending.length));
    this.#pending = '';
  }

  /** Gives a copy of what is synced, elsewhere. */
  copy(place: string): SimDisk {
    const copy = new SimDisk(this.#world, this.#broken, place);
    copy.putBack(this.state());
    return copy;
  }

  state(): SimDiskState {
    return { synced: this.#synced, files: new Map(this.#files) };
  }

  /** Puts it back to an earlier state. */
  putBack({ synced, files }: SimDiskState): void {
    this.#synced = synced;
    this.#pending = '';
    this.#files.clear();
    for (const [name, bytes] of files) this.#files.set(name, bytes);
  }

  lose(): void {
    this.#synced = undefined;
    this.#files.clear();
  }

  #flush(length: number): void {
    this.#synced = (this.#synced ?? '') + this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
  }
}
