/** The time, passed in so that tests can own it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
