import type * as z from 'zod';

/** What a tool may do to the owner's things if it is misused. */
export type Risk = 'read_only' | 'safe_write' | 'dangerous';

/** Which side holds the handler. */
export type RunsOn = 'gateway' | 'machine';

/** All that a connection can be granted. Clients ask for it at first consent: some fail at asking again. */
export const SCOPES = ['read', 'write', 'machine'] as const;

/** The access a connection must have been granted before it may use a tool. */
export type Scope = (typeof SCOPES)[number];

/**
 * All that a personal token can be granted. Pushing the mirror says what every model reads, so no app can ask for
 * it: the owner gives it to a script of their own.
 */
export const TOKEN_SCOPES = [...SCOPES, 'push'] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

export interface ErrorSpec {
  /** The HTTP status, which travels with the error on every way in. */
  readonly status: number;
  /** A sentence that stands when the handler has nothing more exact to say. */
  readonly message: string;
  /** What a person can do about it. */
  readonly suggestion: string;
}

export type ErrorTable = Readonly<Record<string, ErrorSpec>>;

export type JsonSchema = { readonly [key: string]: unknown };

export interface Limits {
  /** Calls a minute that one principal may make. */
  readonly perMinute: number;
  /** How long the handler may run before it is cut off. */
  readonly timeoutMs: number;
}

/** The four MCP annotations, all of them stated. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export interface Example<In extends z.ZodType, Out extends z.ZodType> {
  /** What the example shows, as a test title. */
  readonly about: string;
  readonly input: z.input<In>;
  readonly output: z.input<Out>;
  /** Output keys (dotted paths) that differ from run to run, such as a clock's. */
  readonly varies?: readonly string[];
}

/** How a result too long for a model is shortened. */
export interface Cut {
  /** Output keys, strings, that are cut at a line end: the first as far as need be, then the next. */
  readonly fields: readonly [string, ...string[]];
  /** How to get what was left out, as advice to the model. */
  readonly rest: string;
}

export interface Spec<
  Name extends string,
  In extends z.ZodType,
  Out extends z.ZodType,
  Errors extends ErrorTable,
> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly runsOn: RunsOn;
  readonly risk: Risk;
  readonly approval: 'never' | 'ask';
  readonly limits: Limits;
  readonly hints: Hints;
  readonly input: In;
  readonly output: Out;
  /** The tool's own failures; those of the door come on top (see `door-errors.ts`). */
  readonly errors: Errors;
  /** Input fields whose violation has a name of its own instead of `invalid_input`. */
  readonly inputErrors?: Readonly<Record<string, keyof Errors & string>>;
  readonly examples: readonly [Example<In, Out>, ...Example<In, Out>[]];
  readonly cut?: Cut;
  /** Whether the side that runs it can say beforehand what a call would do; asked for only when the owner is. */
  readonly hasPreview?: boolean;
  /** Over REST, this tool answers callers who hold no token. */
  readonly isPublic?: boolean;
  /** One line for a person, as the command line and the console print it. */
  headline?(output: z.output<Out>): string;
  /** A schema to publish verbatim in place of the one derived from `input`. */
  readonly rawInput?: JsonSchema;
  /** The same for `output`. */
  readonly rawOutput?: JsonSchema;
}

/** The single definition of a tool; everything else about it is derived. */
export interface Contract<
  Name extends string = string,
  In extends z.ZodType = z.ZodType,
  Out extends z.ZodType = z.ZodType,
  Errors extends ErrorTable = ErrorTable,
> extends Spec<Name, In, Out, Errors> {
  /** The name on every wire: dots become underscores, because Claude and OpenAI refuse them. */
  readonly wireName: string;
  readonly scope: Scope;
}

/** A contract whose own types do not matter to whoever handles it. */
export type AnyContract = Contract;

export type Input<C extends AnyContract> = z.output<C['input']>;
export type Output<C extends AnyContract> = z.input<C['output']>;
export type OwnErrorCode<C extends AnyContract> = keyof C['errors'] & string;

/** Defines a tool: fills in what follows from the rest. */
export function tool<
  const Name extends string,
  In extends z.ZodType,
  Out extends z.ZodType,
  const Errors extends ErrorTable,
>(spec: Spec<Name, In, Out, Errors>): Contract<Name, In, Out, Errors> {
  return { ...spec, wireName: wireNameOf(spec.name), scope: scopeOf(spec) };
}

/** The name a tool carries on every wire. */
export function wireNameOf(name: string): string {
  return name.replaceAll('.', '_');
}

function scopeOf({ runsOn, risk }: { runsOn: RunsOn; risk: Risk }): Scope {
  if (runsOn === 'machine') return 'machine';
  return risk === 'read_only' ? 'read' : 'write';
}

/** Annotations of a tool that changes nothing. */
export const readsOnly: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** Annotations of a tool that only reads, but from places anybody may have written. */
export const readsTheWorld: Hints = { ...readsOnly, openWorld: true };
