import type { JsonSchema } from '../../contracts/contract.ts';
import { sha256 } from '../core/call-digest.ts';
import { isRecord } from '../core/is-record.ts';
import { canonicalJson, JsonRefused } from '../core/json.ts';
import { cleaned, hasUnseen } from '../core/visible.ts';
import { hintsIn, type ToolHints } from './hints.ts';
import { MAX_TOOLS } from './joined-limits.ts';
import { nameProblem } from './names.ts';
import { readSchema, textsIn } from './schema.ts';
import { likeOurs, steeringIn } from './server-text.ts';

/** A joined server's tool that keeps the rules, with texts made safe to look at. */
export interface ServerTool {
  /** Its own name, without the server's. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** What its server says of its harm, if it says anything. */
  readonly hints?: ToolHints;
  /** Warnings about it, for the owner. */
  readonly flags: readonly string[];
  /** The hash of everything that tells a caller what it does. The owner's grade holds for this hash alone. */
  readonly hash: string;
}

/** A tool that is not offered, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reasons: readonly string[];
}

/** The result of checking a server's list. */
export interface Conformity {
  readonly tools: readonly ServerTool[];
  readonly leftOut: readonly LeftOut[];
}

/** The longest list of one server, as JSON. Clients read all of it, and it travels whole. */
export const MAX_LIST_CHARS = 512 * 1024;
const MAX_DESCRIPTION = 1_024;
const MAX_SHOWN_NAME = 80;

/** Sorts a server's tools into those that keep the rules and those that are left out. */
export function conformAll(
  server: string,
  listed: readonly unknown[],
  allow?: readonly string[],
): Conformity {
  const tools: ServerTool[] = [];
  const leftOut: LeftOut[] = [];
  let room = MAX_LIST_CHARS;
  const counts = new Map<unknown, number>();
  for (const raw of listed) counts.set(nameIn(raw), (counts.get(nameIn(raw)) ?? 0) + 1);
  for (const raw of listed.slice(0, MAX_TOOLS)) {
    const name = nameIn(raw);
    if ((counts.get(name) ?? 0) > 1) {
      leftOut.push({ name: shownName(name), reasons: ['Its server has more than one tool of this name.'] });
      continue;
    }
    if (allow && !allow.includes(String(name))) {
      leftOut.push({ name: shownName(name), reasons: ['The owner’s settings do not allow it.'] });
      continue;
    }
    const tool = conform(server, raw);
    if ('reasons' in tool) leftOut.push(tool);
    else if (JSON.stringify(tool).length > room) {
      leftOut.push({
        name: tool.name,
        reasons: ['Its server’s list is too long; Bowline reads only its beginning.'],
      });
    } else {
      room -= JSON.stringify(tool).length;
      tools.push(tool);
    }
  }
  if (listed.length > MAX_TOOLS) {
    const reason = `The server lists ${listed.length} tools; at most ${MAX_TOOLS} are read.`;
    leftOut.push({ name: `(${listed.length - MAX_TOOLS} more)`, reasons: [reason] });
  }
  return { tools, leftOut };
}

/** Checks one tool, as its server describes it, against the rules. */
export function conform(server: string, raw: unknown): ServerTool | LeftOut {
  const said = isRecord(raw) ? raw : {};
  const badName = nameProblem(server, said.name);
  const description = typeof said.description === 'string' ? cleaned(said.description, MAX_DESCRIPTION) : '';
  const input = readSchema('inputSchema', said.inputSchema);
  const output = readSchema('outputSchema', said.outputSchema);
  if (badName || description === '' || 'problems' in input || 'problems' in output) {
    const reasons = [
      ...(badName ? [badName] : []),
      ...(description === '' ? ['It has no description.'] : []),
      ...('problems' in input ? input.problems : []),
      ...('problems' in output ? output.problems : []),
    ];
    return { name: shownName(said.name), reasons };
  }
  const name = String(said.name);
  const title = typeof said.title === 'string' ? cleaned(said.title, 80) : '';
  const hints = hintsIn(said.annotations);
  const tool = {
    name,
    title: title || name,
    description,
    inputSchema: input.schema,
    outputSchema: output.schema,
    ...(hints ? { hints } : {}),
  };
  const hash = hashOf(tool);
  if (hash === undefined) return { name, reasons: ['Its description contains broken characters.'] };
  return { ...tool, flags: flagsOf(tool, said), hash };
}

function hashOf(tool: object): string | undefined {
  try {
    return sha256(canonicalJson(tool));
  } catch (error) {
    // Half characters, and numbers that different programs read differently.
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

function flagsOf(tool: Omit<ServerTool, 'flags' | 'hash'>, said: Record<string, unknown>): string[] {
  const whole = [String(said.description), tool.title, textsIn(tool.inputSchema), textsIn(tool.outputSchema)];
  const ours = likeOurs(tool.name);
  return [
    ...steeringIn(whole.join('\n')),
    ...(cleaned(String(said.description), Number.MAX_SAFE_INTEGER) === String(said.description).trim()
      ? []
      : hiddenIn(String(said.description))),
    ...(ours ? [`It is named like Bowline's own ${ours}.`] : []),
  ];
}

function hiddenIn(text: string): string[] {
  // Honest texts also have other systems' blanks and line ends, and the style of an emoji.
  return hasUnseen(text.replace(/[\p{Z}\r]|(?<=\p{Emoji})\ufe0f/gu, ' '))
    ? ['Its description had invisible characters in it.']
    : [];
}

function nameIn(raw: unknown): unknown {
  return isRecord(raw) ? raw.name : undefined;
}

function shownName(name: unknown): string {
  return typeof name === 'string' && name !== '' ? cleaned(name, MAX_SHOWN_NAME) || '(no name)' : '(no name)';
}
