import * as z from 'zod';
import type { AnyContract } from '../../contracts/contract.ts';
import { effectInput } from '../../contracts/machine-fields.ts';
import type { Caller } from './call.ts';
import { argsIn, CALL_VERSION, callText, sha256 } from './call-digest.ts';
import { canonicalJson, JsonRefused, MAX_DEPTH, MAX_VALUES, parseStrictJson } from './json.ts';
import { schemaHash } from './schema.ts';

/** One of the owner's machines, as the registry knows it. */
export interface MachineRef {
  readonly id: string;
  readonly name: string;
}

/** An open folder of a machine, by its registered name. */
export interface RootRef {
  readonly name: string;
  /** True if calls that name no folder work in this one. */
  readonly isDefault: boolean;
}

/** The place where a call runs. It is decided once, before anybody is asked about the call. */
export interface Place {
  /** `null` means the gateway. */
  readonly machine: MachineRef | null;
  readonly root: RootRef | null;
  /** The fields of the input with paths as seen from the root, if the caller wrote one in full. */
  readonly paths?: Readonly<Record<string, unknown>>;
}

export const AT_THE_GATEWAY: Place = { machine: null, root: null };

/** A call as it came in. Its input may not fit the tool. */
export interface AskedCall {
  readonly callId: string;
  readonly contract: AnyContract;
  readonly caller: Caller;
  readonly input: unknown;
  /** True if the input does not fit the contract's schema. It is then the caller's unchecked text. */
  readonly isInvalid?: true;
}

/**
 * A call with everything about it settled. Rules, approvals, the ledger and the machine use this and nothing
 * else.
 */
export interface PreparedCall extends AskedCall, Place {
  /** The caller's own reason for the call. The owner sees it; no decision depends on it. */
  readonly reason?: string;
  /** The tool's input without machine and reason. The folder is in it only if it is not the default. */
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` in RFC 8785's form. */
  readonly args: string;
  /** The whole call as one text. */
  readonly text: string;
  /** The state that the owner saw, if an approval lets the call run. The tool must find the same state. */
  readonly seen?: string;
  /** The SHA-256 of `text`. It names the call when it is shown, approved, stored and run. */
  readonly digest: string;
}

/** Settles a call whose input fits and whose place is known. Makes the canonical form once. */
export function prepareCall(asked: AskedCall, place: Place): PreparedCall {
  const { contract } = asked;
  const { machine, root } = place;
  const params = { ...withoutPlace(contract, asked.input, root), ...place.paths };
  const args = canonicalJson(params);
  const text = callText({
    tool: contract.wireName,
    schemaHash: schemaHash(contract),
    machine: machine?.id ?? null,
    root: root?.name ?? null,
    args,
  });
  const reason = takesReason(contract) ? reasonIn(asked.input) : undefined;
  return {
    ...asked,
    // A tool that runs on this side reads the input, so it must find there the folder and path that were decided about.
    ...(place.paths ? { input: { ...(asked.input as object), root: root?.name, ...place.paths } } : {}),
    ...place,
    ...(reason === undefined ? {} : { reason }),
    params,
    args,
    text,
    digest: sha256(text),
  };
}

const textShape = z.strictObject({
  machine: z.string().nullable(),
  params: z.record(z.string(), z.unknown()),
  root: z.string().nullable(),
  schemaHash: z.string(),
  tool: z.string(),
  version: z.literal(CALL_VERSION),
});

/** A call that the other side prepared. Its parameters are not yet checked against the tool. */
type CallOnTheWire = z.output<typeof textShape> & { readonly args: string };

/** Reads a call's text. Gives `undefined` unless the text has this digest and means one thing. */
export function readCallText(text: string, digest: string): CallOnTheWire | undefined {
  if (sha256(text) !== digest) return undefined;
  try {
    // The text adds one level around the parameters, which may be as deep as a caller's, and values with the defaults.
    const { data } = textShape.safeParse(parseStrictJson(text, MAX_DEPTH + 1, 2 * MAX_VALUES));
    return data && { ...data, args: argsIn(text, data) };
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

/** Tells whether a tool's calls name a machine. In a joined tool that word can mean anything. */
export function takesMachine(contract: AnyContract): boolean {
  return contract.runsOn === 'machine' && takes(contract, 'machine');
}

/** Tells whether a tool's calls name an open folder. */
export function takesRoot(contract: AnyContract): boolean {
  return contract.runsOn === 'machine' && takes(contract, 'root');
}

/** Tells whether a tool's `reason` speaks to the owner. In a joined tool it can mean anything. */
function takesReason({ input }: AnyContract): boolean {
  return input instanceof z.ZodObject && input.shape.reason === effectInput.reason;
}

function reasonIn(input: unknown): string | undefined {
  const { reason } = input as { readonly reason?: string };
  return reason?.trim() === '' ? undefined : reason;
}

function takes({ input }: AnyContract, field: string): boolean {
  return input instanceof z.ZodObject && Object.hasOwn(input.shape, field);
}

/**
 * Takes the place out of an input. A folder that is not the default stays, because a rule that names no
 * folder covers the default alone.
 */
function withoutPlace(contract: AnyContract, input: unknown, root: RootRef | null): Record<string, unknown> {
  const params = { ...(input as Record<string, unknown>) };
  if (takesReason(contract)) delete params.reason;
  if (takesMachine(contract)) delete params.machine;
  if (takesRoot(contract)) {
    if (root && !root.isDefault) params.root = root.name;
    else delete params.root;
  }
  return params;
}
