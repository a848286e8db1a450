import { type Disk, nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';

const CHANGING = [
  'open',
  'makeDirectory',
  'rename',
  'link',
  'remove',
  'removeDirectory',
  'setMode',
  'setOwner',
  'write',
  'sync',
] as const;

export interface Faulty extends Disk {
  readonly steps: () => number;
  /** Until then everything works: the folders have to be opened. */
  readonly arm: () => void;
}

/** A disk on which, from the nth step that could change something, nothing works any more; a write stops half-way. */
export function crashingAt(step: number, code: string, forGood: boolean): Faulty {
  let steps = 0;
  let isArmed = false;
  const fails = () => {
    if (!isArmed) return false;
    steps++;
    return forGood ? steps >= step : steps === step;
  };
  const error = () => Object.assign(new Error(code), { code });
  const disk: Record<string, unknown> = {
    ...nodeDisk,
    steps: () => steps,
    arm: () => {
      isArmed = true;
    },
  };
  for (const name of CHANGING) {
    const real = nodeDisk[name] as (...args: unknown[]) => unknown;
    disk[name] = (...args: unknown[]) => {
      if (!fails()) return real(...args);
      if (name !== 'write') throw error();
      const [fd, bytes, at] = args as [number, Uint8Array, number];
      const half = bytes.subarray(0, at + Math.floor((bytes.length - at) / 2));
      return nodeDisk.write(fd, half, at).then(() => Promise.reject(error()));
    };
  }
  return disk as unknown as Faulty;
}
