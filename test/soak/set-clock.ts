/**
 * Loaded into a bridge before its own code: its clock is off by as many milliseconds as the file named by
 * `BOWLINE_SOAK_CLOCK` says, if it is there.
 */
import { readFileSync } from 'node:fs';

const file = process.env.BOWLINE_SOAK_CLOCK ?? '';
/** How often the file is looked at: the clock is asked far more often. */
const LOOK_MS = 100;

let off = 0;
let lookedAt = Number.NEGATIVE_INFINITY;

function offNow(): number {
  if (performance.now() - lookedAt < LOOK_MS) return off;
  lookedAt = performance.now();
  try {
    off = Number(readFileSync(file, 'utf8'));
  } catch {
    off = 0;
  }
  return off;
}

const RealDate = Date;

class SetDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<typeof RealDate>) {
    if (given.length === 0) super(SetDate.now());
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() + offNow();
  }
}

if (file !== '') globalThis.Date = SetDate as DateConstructor;
