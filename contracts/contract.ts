import type * as z from 'zod';

/** The harm a tool can do to the owner's things if it is misused. */
export type Risk = 'read_only' | 'safe_write' | 'dangerous';

/** The side that holds the handler. */
export type RunsOn = 'gateway' | 'machine';

/**
 * All scopes that a connection can be granted. Clients ask for all of them at first consent, because some
 * fail when they ask again later.
 */
export const SCOPES = ['read', 'write', 'machine'] as const;

/** The access a connection must have been granted before it may use a tool. */
export type Scope = (typeof SCOPES)[number];

/**
 * All scopes that a personal token can be granted. Whoever pushes the mirror decides what every model reads,
 * so no app can ask for `push`: only the owner gives it, to a script of their own.
 */
export const TOKEN_SCOPES = [...SCOPES, 'push'] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The groups of tools that the owner can switch off. */
export const GROUPS = ['files', 'terminal', 'git', 'models', 'web', 'memory'] as const;

export type Group = (typeof GROUPS)[number];

export interface ErrorSpec {
  /** The HTTP status. It travels with the error on every way in. */
  readonly status: number;
  /** The text shown when the handler gives nothing more exact. */
  readonly message: string;
  /** The next step for a person. */
  readonly suggestion: string;
}

export type ErrorTable = Readonly<Record<string, ErrorSpec>>;

export type JsonSchema = { readonly [key: string]: unknown };

export interface Limits {
  /** Calls that one principal may make in a minute. */
  readonly perMinute: number;
  /** Time after which the handler is cut off. */
  readonly timeoutMs: number;
  /** The largest request body over HTTP, for a tool that takes more than the 4 MiB of all others. */
  readonly bodyBytes?: number;
}

/** The four MCP annotations, each of them stated. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export interface Example<In extends z.ZodType, Out extends z.ZodType> {
  /** The title of the test that runs the example. */
  readonly about: string;
  readonly input: z.input<In>;
  readonly output: z.input<Out>;
  /** Output keys (dotted paths) whose values differ from run to run, such as a time. */
  readonly varies?: readonly string[];
}

/** A picture in an answer. */
export interface Picture {
  readonly mimeType: string;
  /** Its bytes as base64. */
  readonly data: string;
}

/** The way to shorten a result that is too long for a model. */
export interface Cut {
  /** Output keys with strings. They are cut at a line end: the first one as far as needed, then the next. */
  readonly fields: readonly [string, ...string[]];
  /** Advice to the model on how to get the rest. */
  readonly rest: string;
}

interface Spec<Name extends string, In extends z.ZodType, Out extends z.ZodType, Errors extends ErrorTable> {
  readonly name: Name;
  readonly title: string;
  /** What a model reads before each conversation: what decides whether it chooses this tool, and no more. */
  readonly description: string;
  /** What people read besides: limits, and what happens at them. A model learns of it from results. */
  readonly details?: string;
  readonly runsOn: RunsOn;
  /** Left out for the few tools that are always there, and for those of joined servers. */
  readonly group?: Group;
  readonly risk: Risk;
  readonly approval: 'never' | 'ask';
  readonly limits: Limits;
  readonly hints: Hints;
  readonly input: In;
  readonly output: Out;
  /** The tool's own failures. The failures of the door are added to them (see `door-errors.ts`). */
  readonly errors: Errors;
  /** Input fields that fail with an error of their own instead of `invalid_input`. */
  readonly inputErrors?: Readonly<Record<string, keyof Errors & string>>;
  readonly examples: readonly [Example<In, Out>, ...Example<In, Out>[]];
  readonly cut?: Cut;
  /** True if a client wants the text of an answer over MCP to be JSON and nothing else. */
  readonly isJsonText?: true;
  /** Facts of the output that its long text has as well, or that the caller gave. A model does not read them twice. */
  readonly saidTwice?: readonly string[];
  /**
   * True if the side that runs the tool can preview a call. The gate asks for a preview only when it asks the
   * owner.
   */
  readonly hasPreview?: boolean;
  /**
   * True if the output quotes what others may have written, such as a file of a repo. It is then marked as content from
   * outside is (`openWorld`).
   */
  readonly quotesOthers?: true;
  /** Takes the pictures out of an output, for clients that show them as pictures. */
  pictures?(output: z.output<Out>): { readonly output: unknown; readonly found: readonly Picture[] };
  /** True if REST answers callers without a token. */
  readonly isPublic?: boolean;
  /** Sums the output up in one line, which the command line and the console print. */
  headline?(output: z.output<Out>): string;
  /** A schema to publish as it is, in place of the one derived from `input`. */
  readonly rawInput?: JsonSchema;
  /** A schema to publish as it is, in place of the one derived from `output`. */
  readonly rawOutput?: JsonSchema;
}

/** The single definition of a tool. Everything else about the tool is derived from it. */
export interface Contract<
  Name extends string = string,
  In extends z.ZodType = z.ZodType,
  Out extends z.ZodType = z.ZodType,
  Errors extends ErrorTable = ErrorTable,
> extends Spec<Name, In, Out, Errors> {
  /** The tool's name on every wire. Dots become underscores, because Claude and OpenAI refuse dots. */
  readonly wireName: string;
  readonly scope: Scope;
}

/** A contract for code that does not need the contract's own types. */
export type AnyContract = Contract;

export type Input<C extends AnyContract> = z.output<C['input']>;
export type Output<C extends AnyContract> = z.input<C['output']>;
export type OwnErrorCode<C extends AnyContract> = keyof C['errors'] & string;

/** Defines a tool. Fills in what follows from the rest. */
export function tool<
  const Name extends string,
  In extends z.ZodType,
  Out extends z.ZodType,
  const Errors extends ErrorTable,
  const HasPreview extends boolean = false,
>(
  spec: Spec<Name, In, Out, Errors> & { readonly hasPreview?: HasPreview },
): Contract<Name, In, Out, Errors> & { readonly hasPreview?: HasPreview } {
  return { ...spec, wireName: wireNameOf(spec.name), scope: scopeOf(spec) };
}

/** Gives all that people read of a tool. */
export function describedWhole({
  description,
  details,
}: Pick<AnyContract, 'description' | 'details'>): string {
  return details === undefined ? description : `${description} ${details}`;
}

/**
 * Says what a field means, for `meta`. `listed` is what lists of tools say in place of it, in a few words: a model reads
 * them all before each conversation. Empty if the field's name says enough.
 */
export function told(description: string, listed = '') {
  return { description, listed };
}

/** Gives the name that a tool carries on every wire. */
function wireNameOf(name: string): string {
  return name.replaceAll('.', '_');
}

function scopeOf({ runsOn, risk }: { runsOn: RunsOn; risk: Risk }): Scope {
  if (runsOn === 'machine') return 'machine';
  return risk === 'read_only' ? 'read' : 'write';
}

/** Annotations of a tool that changes nothing. */
export const readsOnly: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** Annotations of a tool that only reads, but from places where anybody can write. */
export const readsTheWorld: Hints = { ...readsOnly, openWorld: true };
