import { join } from 'node:path';
import * as z from 'zod';
import type { AnyContract } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { nearest } from '../../../src/core/nearest.ts';
import { withKin } from '../../../src/gate/rules/rule-kin.ts';
import { isJoinedName } from '../../../src/joined/names.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { jsonOrNothing, readIfThere } from '../../lib/private-file.ts';

const contracts: readonly AnyContract[] = Object.values(catalogue);
const machineTools = contracts.filter(({ runsOn }) => runsOn === 'machine').map(({ wireName }) => wireName);

// Accept only names of machine tools: an unknown name would look like a refusal and refuse nothing.
const tool = z.string().check((context) => {
  if (machineTools.includes(context.value) || isJoinedName(context.value)) return;
  const close = nearest(context.value, machineTools);
  context.issues.push({
    code: 'custom',
    input: context.value,
    message: `no machine has a tool ${JSON.stringify(context.value)}${close ? `; did you mean ${close}?` : ''}`,
  });
});

/** A tool that does the work of a named one counts as named: a denied command must not run in a lasting terminal. */
const tools = z.array(tool).default([]).transform(withKin);

const section = z.record(z.string(), z.unknown()).optional();

const shape = z.strictObject({
  /** Folders that are open to tools, the default first. */
  roots: z.array(z.strictObject({ name: z.string().optional(), path: z.string().min(1) })).optional(),
  /** Tools that never run here. */
  deny: tools,
  /** Tools that also need a yes in this machine's own terminal. */
  ask: tools,
  /** Sections that single tools read themselves. */
  terminal: section,
  mlx: section,
  servers: section,
});

/** The owner's settings for this machine, kept on the machine itself. */
export type BridgeSettings = z.infer<typeof shape>;

/** Gives the path of a home's settings. */
export function settingsFile(home: string): string {
  return join(home, 'bridge.json');
}

/** Reads a home's settings, or those of another file. The file may be missing; an invalid one stops the start. */
export function bridgeSettings(home: string, path: string = settingsFile(home)): BridgeSettings {
  const text = readIfThere(path);
  if (text === undefined) return shape.parse({});
  const json = jsonOrNothing(text);
  if (json === undefined) throw wrong(path, 'it is not JSON');
  const parsed = shape.safeParse(json);
  if (parsed.success) return parsed.data;
  throw wrong(
    path,
    parsed.error.issues
      .map(({ path: at, message }) => (at.length > 0 ? `${at.join('.')}: ` : '') + message)
      .join('; '),
  );
}

function wrong(path: string, why: string): CliError {
  return new CliError(
    `${path} cannot be used: ${why}.`,
    'Fix it, then start again. Nothing was started.',
    EXIT.usage,
  );
}
