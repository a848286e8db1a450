import * as z from 'zod';

/** A file whose text becomes the value. */
const embeddedShape = z.strictObject({ embed: z.string() });

/**
 * Writes a value in Cap'n Proto's text form, in which workerd reads its configuration: objects are structures, and
 * `{ embed }` stands for the text of a file. `locate` gives a file's path from the folder of the configuration.
 */
export function capnpText(value: unknown, locate: (path: string) => string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => capnpText(one, locate)).join(', ')}]`;
  const embedded = embeddedShape.safeParse(value);
  if (embedded.success) return `embed ${quoted(locate(embedded.data.embed))}`;
  if (typeof value !== 'object' || value === null)
    throw new Error(`${String(value)} has no Cap'n Proto form.`);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `(${fields.map(([name, field]) => `${name} = ${capnpText(field, locate)}`).join(', ')})`;
}

const SPECIAL = /["\\\p{Cc}]/gu;

function quoted(text: string): string {
  return `"${text.replace(SPECIAL, (one) => `\\x${(one.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`)}"`;
}
