/** Something to time, and what the others are compared with. */
export interface Contender {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Times each contender in turn, many times, so that other work on the machine hits all. Gives medians in ms. */
export async function medians(contenders: readonly Contender[], rounds: number): Promise<number[]> {
  const times = contenders.map((): number[] => []);
  for (const { run } of contenders) await run();
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((contender, i) => ({ contender, i }));
    for (const { contender, i } of round % 2 === 0 ? order : order.toReversed()) {
      const started = performance.now();
      await contender.run();
      times[i]?.push(performance.now() - started);
    }
  }
  return times.map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN);
}
