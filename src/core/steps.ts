/** Work that stops after each step, so that other work can run. */
export type Steps<Made> = Generator<undefined, Made, undefined>;

/** Does all steps one right after the other. */
export function atOnce<Made>(steps: Steps<Made>): Made {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the steps, and lets other work run after each, unless the input is so short that it holds nobody up. */
export async function inTurns<Made>(steps: Steps<Made>, inputLength: number): Promise<Made> {
  if (inputLength < SHORT) return atOnce(steps);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await aTurn();
  }
}

/** The length of an input whose work all together takes less than one step of a long one may. */
export const SHORT = 100_000;

/** Lets other requests run. A timer also moves the clock, which stands still in a Worker that only computes. */
export function aTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
