import type {
  BlobResourceContents,
  PromptMessage,
  Resource,
  TextResourceContents,
} from '@modelcontextprotocol/server';
import type { Caller, Question, Refusal } from '../core/call.ts';

/** Suggests values for one argument, best first, from the typed text and the other arguments. */
export type Completer = (
  typed: string,
  given: Readonly<Record<string, string>>,
  caller: Caller,
) => Answer<readonly string[] | Question | Refusal>;

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  /** Completers by the template's variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

interface ResourcePage {
  readonly resources: readonly Resource[];
  /** The place where the source continues, in its own notation. */
  readonly nextCursor?: string;
}

export type ResourceContents = readonly (TextResourceContents | BlobResourceContents)[];

/**
 * A source of things that a client may read by address. It answers in the same terms as tools. Nothing is checked
 * before a source is asked, so everything of the owner's must come from a tool, through its door.
 */
export interface ResourceSource {
  /** The beginning of all its addresses, such as `repo://`. */
  readonly prefix: string;
  readonly templates?: readonly ResourceTemplate[];
  list(cursor: string | undefined, caller: Caller): Answer<ResourcePage | Question | Refusal>;
  /** Reads a resource; `undefined` means that there is none. */
  read(uri: string, caller: Caller): Answer<ResourceContents | Question | Refusal | undefined>;
}

interface PromptArgument {
  readonly description: string;
  readonly required?: boolean;
  readonly complete?: Completer;
}

type PromptArguments = Readonly<Record<string, PromptArgument>>;

/** A text that the person at the client picks and fills in. */
export interface PromptOffer<Arguments extends PromptArguments = PromptArguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments?: Arguments;
  messages(given: Given<Arguments>, caller: Caller): Answer<readonly PromptMessage[] | Question | Refusal>;
}

type Given<Arguments extends PromptArguments> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends { readonly required: true }
    ? string
    : string | undefined;
};

type Answer<T> = T | Promise<T>;

/** Defines a prompt. It exists so that `messages` knows the arguments by name. */
export function prompt<const Arguments extends PromptArguments>(spec: PromptOffer<Arguments>): PromptOffer {
  return spec;
}

export interface Offers {
  readonly resources?: readonly ResourceSource[];
  readonly prompts?: readonly PromptOffer[];
}

/** Collects what is offered besides tools, each under its name. Throws if two share one. */
export function byName({ resources = [], prompts = [] }: Offers) {
  return {
    templatesByUri: keyed(
      resources.flatMap((source) => source.templates ?? []),
      ({ uriTemplate }) => uriTemplate,
    ),
    promptsByName: keyed(prompts, ({ name }) => name),
  };
}

function keyed<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map(items.map((item) => [keyOf(item), item]));
  if (map.size < items.length) throw new Error(`Two offers share a name: ${items.map(keyOf).join(', ')}`);
  return map;
}
