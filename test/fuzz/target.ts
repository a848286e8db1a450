import type fc from 'fast-check';

type ErrorClass = abstract new (...args: never[]) => Error;
type Holds<Value> = (value: Value, input: string) => void | Promise<void>;

/** A parser that meets the outside, and what has to be true of it whatever it is given. */
export interface Definition<Value> {
  readonly name: string;
  /** Every character of an input is one byte. */
  readonly isBinary?: true;
  /** Inputs that it takes, one of each kind. */
  readonly seeds: readonly string[];
  /** Inputs that are nearly right. */
  readonly grammar: fc.Arbitrary<string>;
  /** What a mutation may put anywhere. */
  readonly words?: readonly string[];
  /** The errors by which it refuses; any other one is a bug. */
  readonly refuses?: readonly ErrorClass[];
  /** It takes milliseconds for one input. */
  readonly isSlow?: true;
  /** Why its work may grow faster than its input does, if it may. */
  readonly growsBecause?: string;
  parse(input: string): Value | Promise<Value>;
  /** What holds for an input that was taken, by name. */
  readonly properties: Readonly<Record<string, Holds<Value>>>;
  /** What holds for one that was refused. */
  readonly refusals?: Readonly<Record<string, Holds<Error>>>;
}

/** A target as the engine sees it, its values its own business. */
export interface Target extends Omit<Definition<never>, 'parse' | 'properties' | 'refusals'> {
  readonly properties: readonly string[];
  /** Parses without looking at what comes of it, so that the steps can be counted. */
  run(input: string): Promise<void>;
  /** Parses and holds the outcome against every property; throws `Broken` for one that does not hold. */
  check(input: string): Promise<void>;
}

/** A property does not hold for an input. */
export class Broken extends Error {
  override name = 'Broken';
  readonly property: string;

  constructor(property: string, cause: unknown) {
    super(`${property}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`, {
      cause,
    });
    this.property = property;
  }
}

/** The property of every target that has to do with errors. */
export const THROWS_ONLY = 'throws nothing but the errors it declares';

export function target<Value>(definition: Definition<Value>): Target {
  const { parse, properties, refusals = {}, refuses = [], ...rest } = definition;
  const outcomeOf = async (input: string) => {
    try {
      return { value: await parse(input) };
    } catch (error) {
      if (error instanceof Error && refuses.some((kind) => error instanceof kind)) return { refusal: error };
      throw new Broken(THROWS_ONLY, error);
    }
  };
  return {
    ...rest,
    refuses,
    properties: [THROWS_ONLY, ...Object.keys(properties), ...Object.keys(refusals)],
    run: async (input) => void (await outcomeOf(input)),
    check: async (input) => {
      const outcome = await outcomeOf(input);
      if ('refusal' in outcome) await holdAll(refusals, outcome.refusal, input);
      else await holdAll(properties, outcome.value, input);
    },
  };
}

async function holdAll<Value>(
  properties: Readonly<Record<string, Holds<Value>>>,
  value: Value,
  input: string,
): Promise<void> {
  for (const [name, holds] of Object.entries(properties)) {
    try {
      await holds(value, input);
    } catch (error) {
      throw new Broken(name, error);
    }
  }
}
