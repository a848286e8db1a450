import { visible } from '../core/visible.ts';

/** The text between a server's name and its tool's. None of Bowline's own tools has it in its name. */
export const SEPARATOR = '__';

/** The longest tool name that Claude's apps accept. A longer one costs the whole connection. */
export const MAX_WIRE_NAME = 64;

/** The longest server name. It leaves room for the tool's name. */
export const MAX_SERVER_NAME = 24;

/** Without underscores, the end of a server's name is always clear. */
const SERVER_NAME = new RegExp(`^[a-z][a-z0-9-]{0,${MAX_SERVER_NAME - 1}}$`);

export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** The rule to show when a server's name is refused. */
export const SERVER_NAME_RULE = `A server's name has 1 to ${MAX_SERVER_NAME} small letters, digits and hyphens, and begins with a letter.`;

/** Gives the name of a server's tool on every wire. */
export function joinedName(server: string, tool: string): string {
  return server + SEPARATOR + tool;
}

/** Tells whether a name can only belong to a joined server's tool. */
export function isJoinedName(name: string): boolean {
  return name.includes(SEPARATOR);
}

/** Says what is wrong with the name that a server gives its tool. Refuses letters that look like others. */
export function nameProblem(server: string, name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'It has no name.';
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    return `Its name has characters other than A-Z, a-z, 0-9, _ and -: ${visible(spelt(name), 120)}.`;
  }
  if (name.startsWith('_')) return 'Its name begins with an underscore.';
  const length = joinedName(server, name).length;
  if (length > MAX_WIRE_NAME) {
    return `With its server's name it would have ${length} characters; at most ${MAX_WIRE_NAME} are allowed.`;
  }
  return undefined;
}

/** Spells out everything that is not plain ASCII, so that a look-alike shows. */
function spelt(name: string): string {
  return name
    .slice(0, 100)
    .replace(/[^\x20-\x7e]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
