import { visible } from '../core/visible.ts';

/** What stands between a server's name and its tool's. No tool of Bowline's own has it. */
export const SEPARATOR = '__';

/** What Claude's apps accept as a tool's name; one that is longer costs the whole connection. */
export const MAX_WIRE_NAME = 64;

/** How many characters a server's name may have, so that its tools have some left. */
export const MAX_SERVER_NAME = 24;

/** No underscore: where a server's name ends is then never in doubt. */
const SERVER_NAME = new RegExp(`^[a-z][a-z0-9-]{0,${MAX_SERVER_NAME - 1}}$`);

export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** What to tell somebody whose server's name is not taken. */
export const SERVER_NAME_RULE = `A server's name has 1 to ${MAX_SERVER_NAME} small letters, digits and hyphens, and begins with a letter.`;

/** The name that a server's tool has on every wire. */
export function joinedName(server: string, tool: string): string {
  return server + SEPARATOR + tool;
}

/** Whether a name can only be that of a joined server's tool. */
export function isJoinedName(name: string): boolean {
  return name.includes(SEPARATOR);
}

/** What is wrong with the name a server gives its tool. Nothing that looks like another letter passes. */
export function nameProblem(server: string, name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'It has no name.';
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    return `Its name has characters other than A-Z, a-z, 0-9, _ and -: ${visible(spelt(name), 120)}.`;
  }
  if (name.startsWith('_')) return 'Its name begins with an underscore.';
  const length = joinedName(server, name).length;
  if (length > MAX_WIRE_NAME) {
    return `With its server's name it would have ${length} characters; ${MAX_WIRE_NAME} are the most.`;
  }
  return undefined;
}

/** Spells out what is not plain ASCII, so that a look-alike shows as what it is. */
function spelt(name: string): string {
  return name
    .slice(0, 100)
    .replace(/[^\x20-\x7e]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
