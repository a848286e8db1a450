import * as z from 'zod';
import type { AnyContract } from '../../contracts/contract.ts';
import { effectInput } from '../../contracts/machine-fields.ts';
import type { Caller } from './call.ts';
import { argsIn, CALL_VERSION, callText, sha256 } from './call-digest.ts';
import { canonicalJson, JsonRefused, MAX_DEPTH, parseStrictJson } from './json.ts';
import { schemaHash } from './schema.ts';

/** One of the owner's machines, as the registry knows it. */
export interface MachineRef {
  readonly id: string;
  readonly name: string;
}

/** An open folder of a machine, by its registered name. */
export interface RootRef {
  readonly name: string;
  /** Whether calls that name no folder work in this one. */
  readonly isDefault: boolean;
}

/** Where a call runs: decided before anybody is asked about it, and not again. */
export interface Place {
  /** `null` is the gateway. */
  readonly machine: MachineRef | null;
  readonly root: RootRef | null;
}

export const AT_THE_GATEWAY: Place = { machine: null, root: null };

/** A call as it came in. Its input may not even fit the tool. */
export interface AskedCall {
  readonly callId: string;
  readonly contract: AnyContract;
  readonly caller: Caller;
  readonly input: unknown;
  /** Whether the input does not fit the contract's schema. It is then what a caller sent, unlooked at. */
  readonly isInvalid?: true;
}

/** A call with everything about it settled. Rules, approvals, the ledger and the machine go by this and nothing else. */
export interface PreparedCall extends AskedCall, Place {
  /** Why the caller wants it, in its own words: for the owner's eyes, and no part of what is decided about. */
  readonly reason?: string;
  /** What the tool is told, less the machine and the reason; the folder is among it only if it is another than the default. */
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` as RFC 8785 writes them. */
  readonly args: string;
  /** The whole call in one text. */
  readonly text: string;
  /** The state that the owner saw, if an approval lets the call run: what the tool finds must still be that. */
  readonly seen?: string;
  /** SHA-256 of `text`: the name under which the call is shown, approved, stored and run. */
  readonly digest: string;
}

/** Settles a call whose input fits and whose place is known. Canonicalises once. */
export function prepareCall(asked: AskedCall, place: Place): PreparedCall {
  const { contract } = asked;
  const { machine, root } = place;
  const params = withoutPlace(contract, asked.input, root);
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

/** A call that somebody else prepared, before its parameters are held against the tool. */
export type CallOnTheWire = z.output<typeof textShape> & { readonly args: string };

/** Reads a call's text; `undefined` unless it is the very text that was decided about, and means one thing. */
export function readCallText(text: string, digest: string): CallOnTheWire | undefined {
  if (sha256(text) !== digest) return undefined;
  try {
    // The text is one level around the parameters, which may be as deep as a caller's.
    const { data } = textShape.safeParse(parseStrictJson(text, MAX_DEPTH + 1));
    return data && { ...data, args: argsIn(text, data) };
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

/** Whether calls of a tool say on which machine they run. Tools of joined servers may mean anything by that word. */
export function takesMachine(contract: AnyContract): boolean {
  return contract.runsOn === 'machine' && takes(contract, 'machine');
}

/** Whether calls of a tool say in which open folder they work. */
export function takesRoot(contract: AnyContract): boolean {
  return contract.runsOn === 'machine' && takes(contract, 'root');
}

/** Whether a tool's `reason` is the word to the owner. Tools of joined servers may mean anything by it. */
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

/** The folder stays where it is another than the default: a rule that names none speaks of the default alone. */
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
