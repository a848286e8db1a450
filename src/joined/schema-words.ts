/** A complaint about a value: the place, and the words that follow the name of the place. */
export interface Misfit {
  readonly path: readonly string[];
  readonly problem: string;
}

/** The problem of a field that the schema does not have. */
export const NO_FIELD = 'is not a field here';

/** The validator's complaints, each with words that a person and a model understand. */
const WORDS: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/^False boolean schema\.$/, () => NO_FIELD],
  [
    /^Instance type "\w+" is invalid\. Expected (.*)\.$/s,
    ([types = '']) => `must be of the type ${anyOf(types)}`,
  ],
  [/^\S+ is less than (?:or equal to )?(\S+)\.$/, ([least]) => `must not be below ${least}`],
  [/^\S+ is greater than (?:or equal to )?(\S+)\.$/, ([most]) => `must not be above ${most}`],
  [/^String is too short \(\d+ < (\d+)\)\.$/, ([least]) => `must have at least ${least} characters`],
  [/^String is too long \(\d+ > (\d+)\)\.$/, ([most]) => `must have at most ${most} characters`],
  [/^Array has too few items \(\d+ < (\d+)\)\.$/, ([least]) => `must have at least ${least} items`],
  [/^Array has too many items \(\d+ > (\d+)\)\.$/, ([most]) => `must have at most ${most} items`],
  [/^Instance does not match any subschemas\.$/, () => 'has none of the forms it may have'],
  [/^Instance does not match any of \[(.*)\]\.$/s, ([list]) => `must be one of ${list}`],
  [/^Instance does not match (.*)\.$/s, ([only]) => `must be ${only}`],
];
const MISSING = /^Instance does not have required property "(.*)"\.$/s;

/** Reads what the validator of JSON Schema says: a chain of complaints, from the whole value to its wrong part. */
export function misfitIn(said: string): Misfit {
  const links = said.split(/; (?=#)/);
  // Below a choice of forms, each form has a complaint of its own.
  const choice = links.find((link) => link.includes(': Instance does not match any subschemas.'));
  const link = choice ?? links.at(-1) ?? '';
  const end = link.indexOf(': ');
  const path = link.slice(0, end).split('/').slice(1);
  const complaint = link.slice(end + 2);
  const [, name] = MISSING.exec(complaint) ?? [];
  if (name !== undefined) return { path: [...path, name], problem: 'is required' };
  for (const [shape, say] of WORDS) {
    const found = shape.exec(complaint);
    if (found) return { path, problem: say(found.slice(1)) };
  }
  return { path, problem: 'does not fit its description' };
}

function anyOf(types: string): string {
  return types.replaceAll('"', '').split(', ').join(' or ');
}
