import * as z from 'zod';
import {
  type AnyContract,
  type Hints,
  type JsonSchema,
  tool as makeContract,
  type Risk,
} from '../../contracts/contract.ts';
import { effectErrors, machineErrors } from '../../contracts/door-errors.ts';
import { joinedErrors } from '../../contracts/host.ts';
import type { ServerTool } from './conform.ts';
import { JOINED_TIMEOUT_MS, MAX_VALUE_DEPTH } from './joined-limits.ts';
import { joinedName } from './names.ts';
import { type Check, checkOf, depthOf } from './schema.ts';
import { NO_FIELD } from './schema-words.ts';

/** A joined server's tool with the owner's judgement. */
interface JoinedTool {
  readonly server: string;
  readonly tool: ServerTool;
  /** The harm it can do in the owner's judgement; `null` until the owner grades it. */
  readonly grade: Risk | null;
  /** The machine whose bridge started the server; `null` if the gateway reaches it itself. */
  readonly machine: string | null;
}

const made = new WeakMap<ServerTool, Map<string, AnyContract>>();

/** Makes the contract of a joined tool. The tool is listed, asked about and recorded like Bowline's own. */
export function joinedContract({ server, tool, grade, machine }: JoinedTool): AnyContract {
  const known = made.get(tool) ?? new Map<string, AnyContract>();
  made.set(tool, known);
  const key = JSON.stringify([server, grade, machine]);
  let contract = known.get(key);
  if (!contract) {
    contract = build({ server, tool, grade, machine });
    known.set(key, contract);
  }
  return contract;
}

function build({ server, tool, grade, machine }: JoinedTool): AnyContract {
  const risk = grade ?? 'dangerous';
  const reads = risk === 'read_only';
  const cut = textFieldsOf(tool.outputSchema);
  const [first, ...others] = cut;
  return makeContract({
    name: joinedName(server, tool.name),
    title: `${server}: ${tool.title}`,
    // Readers of a list of tools must see whose word each description is.
    description: `[Of the joined server "${server}", in its own words, which Bowline does not vouch for] ${tool.description}`,
    runsOn: machine === null ? 'gateway' : 'machine',
    risk,
    approval: reads ? 'never' : 'ask',
    limits: { perMinute: reads ? 60 : 30, timeoutMs: JOINED_TIMEOUT_MS },
    hints: hintsOf(risk),
    hasPreview: true,
    input: fitting(tool.inputSchema),
    output: fitting(tool.outputSchema),
    errors: {
      ...joinedErrors,
      ...(machine === null ? {} : machineErrors),
      ...(reads ? {} : effectErrors),
    },
    examples: [{ about: 'nothing: its server gives none', input: {}, output: {} }],
    rawInput: tool.inputSchema,
    rawOutput: tool.outputSchema,
    headline: (output) => JSON.stringify(output),
    ...(first === undefined
      ? {}
      : { cut: { fields: [first, ...others], rest: 'Ask this tool for less at a time.' } }),
  });
}

function hintsOf(risk: Risk): Hints {
  return {
    readOnly: risk === 'read_only',
    destructive: risk === 'dangerous',
    idempotent: risk === 'read_only',
    openWorld: true,
  };
}

const TOO_DEEP = { path: [], problem: 'is nested too deep' };

/** Makes a schema for values that fit a server's schema. The check is built only when there is a value. */
function fitting(schema: JsonSchema): z.ZodType<Record<string, unknown>> {
  let check: Check | undefined;
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    check ??= checkOf(schema);
    const wrong = depthOf(value) > MAX_VALUE_DEPTH ? TOO_DEEP : check(value);
    if (!wrong) return;
    const { problem: message } = wrong;
    const path = [...wrong.path];
    // So that the door names the nearest field, as for Bowline's own tools.
    const unknown = message === NO_FIELD ? path.pop() : undefined;
    if (unknown === undefined)
      context.addIssue({ code: 'custom', path, message, params: { isPhrase: true } });
    else context.addIssue({ code: 'unrecognized_keys', keys: [unknown], path, message, input: value });
  });
}

/** Lists the outermost text fields. They can be cut without breaking the schema. */
function textFieldsOf({ properties }: JsonSchema): string[] {
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, part]: [string, JsonSchema]) =>
    part?.type === 'string' && part.enum === undefined && part.const === undefined ? [name] : [],
  );
}
