import {
  type CompleteResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller, Question, Refusal } from '../core/call.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import { ERROR_META } from '../core/meta-names.ts';
import { nearest } from '../core/nearest.ts';
import {
  byName,
  type Completer,
  type Offers,
  type PromptOffer,
  type ResourceSource,
  type ResourceTemplate,
} from './mcp-offers.ts';

/** The facts about one request that the offers need. */
interface Exchange {
  callerFor(ctx: ServerContext, about: string): Caller;
  ask(question: Question, about: string): Promise<InputRequiredResult>;
  /** Takes an unforeseen exception. */
  report(error: unknown): void;
}

/** Adds handlers to the server of one request. */
type Install = (server: Server, exchange: Exchange) => void;

/** The most values in one completion, by the protocol. */
const MAX_COMPLETIONS = 100;

/** Tells whether any offered argument can be completed. */
export function canComplete({ resources = [], prompts = [] }: Offers): boolean {
  return (
    resources.some(({ templates = [] }) => templates.some(({ complete }) => complete)) ||
    prompts.some((offer) => Object.values(offer.arguments ?? {}).some(({ complete }) => complete))
  );
}

/** Prepares once what does not depend on the request. What is not offered gets no handler. */
export function prepareOffers(offers: Offers): Install {
  const { resources = [], prompts = [] } = offers;
  const { templatesByUri, promptsByName } = byName(offers);
  const installs = [
    ...(resources.length > 0 ? [prepareResources(resources, [...templatesByUri.values()])] : []),
    ...(prompts.length > 0 ? [preparePrompts(promptsByName)] : []),
    ...(canComplete(offers) ? [prepareCompletions(templatesByUri, promptsByName)] : []),
  ];
  return (server, exchange) => {
    for (const install of installs) install(server, exchange);
  };
}

function prepareResources(
  sources: readonly ResourceSource[],
  templates: readonly ResourceTemplate[],
): Install {
  const listed = { resourceTemplates: templates.map(({ complete: _, ...template }) => template) };
  return (server, exchange) => {
    server.setRequestHandler('resources/templates/list', ({ params }) => onePage(params?.cursor, listed));
    server.setRequestHandler('resources/list', ({ params }, ctx) =>
      listFrom(sources, params?.cursor, exchange.callerFor(ctx, 'resources/list'), exchange),
    );
    server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
      const about = `resources/read ${uri}`;
      const caller = exchange.callerFor(ctx, about);
      const source = sourceOf(uri, sources);
      const answer = await guarded(exchange, () => source.read(uri, caller));
      if (!answer) throw new ResourceNotFoundError(uri);
      if ('kind' in answer && isMissing(answer)) throw notFound(uri, answer);
      return 'kind' in answer ? askOrRefuse(answer, about, exchange) : { contents: [...answer] };
    });
    // Not in the capabilities of 2025 clients, because updates travel on `subscriptions/listen`, which they lack. Those
    // who ask all the same get an answer and no updates: some fail without one.
    server.setRequestHandler('resources/subscribe', ({ params }) => acknowledge(params.uri, sources));
    server.setRequestHandler('resources/unsubscribe', ({ params }) => acknowledge(params.uri, sources));
  };
}

function preparePrompts(offers: ReadonlyMap<string, PromptOffer>): Install {
  const listed = { prompts: [...offers.values()].map(described) };
  return (server, exchange) => {
    server.setRequestHandler('prompts/list', ({ params }) => onePage(params?.cursor, listed));
    server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
      const offer = known('prompt', params.name, offers);
      const about = `prompts/get ${offer.name}`;
      const given = checkedArguments(offer, params.arguments ?? {});
      const caller = exchange.callerFor(ctx, about);
      const answer = await guarded(exchange, () => offer.messages(given, caller));
      if ('kind' in answer) return askOrRefuse(answer, about, exchange);
      return { description: offer.description, messages: [...answer] };
    });
  };
}

function prepareCompletions(
  templates: ReadonlyMap<string, ResourceTemplate>,
  prompts: ReadonlyMap<string, PromptOffer>,
): Install {
  const completerOf = (ref: { name: string } | { uri: string }, argument: string): Completer | undefined =>
    'uri' in ref
      ? own(known('resource template', ref.uri, templates).complete, argument)
      : own(known('prompt', ref.name, prompts).arguments, argument)?.complete;
  return (server, exchange) => {
    server.setRequestHandler('completion/complete', async ({ params }, ctx): Promise<CompleteResult> => {
      const { ref, argument, context } = params;
      const complete = completerOf(ref, argument.name);
      if (!complete) return { completion: { values: [] } };
      const caller = unasked(exchange.callerFor(ctx, 'completion/complete'));
      const all = await guarded(exchange, () => complete(argument.value, context?.arguments ?? {}, caller));
      if ('kind' in all) throw refusedOf(all);
      const values = all.slice(0, MAX_COMPLETIONS);
      return { completion: { values, total: all.length, hasMore: all.length > values.length } };
    });
  };
}

/** Gives a page of one source, or a source's last page with the first page of the next source. */
async function listFrom(
  sources: readonly ResourceSource[],
  cursor: string | undefined,
  caller: Caller,
  exchange: Exchange,
) {
  const place = /^(\d{1,3}):(.*)$/su.exec(cursor ?? '0:');
  if (!place) throw invalid('This cursor was not given out here.');
  const start = Number(place[1]);
  const resources: Resource[] = [];
  for (const [index, source] of sources.entries()) {
    if (index < start) continue;
    const inner = index === start ? place[2] || undefined : undefined;
    const page = await guarded(exchange, () => source.list(inner, unasked(caller)));
    if ('kind' in page) throw refusedOf(page);
    resources.push(...page.resources);
    if (page.nextCursor !== undefined) return { resources, nextCursor: `${index}:${page.nextCursor}` };
  }
  return { resources };
}

function sourceOf(uri: string, sources: readonly ResourceSource[]): ResourceSource {
  const source = sources.find(({ prefix }) => uri.startsWith(prefix));
  if (!source) throw new ResourceNotFoundError(uri);
  return source;
}

function acknowledge(uri: string, sources: readonly ResourceSource[]): Record<string, never> {
  sourceOf(uri, sources);
  return {};
}

function described({ name, title, description, arguments: all = {} }: PromptOffer) {
  const listed = Object.entries(all).map(([argument, { description, required = false }]) => {
    return { name: argument, description, required };
  });
  return { name, title, description, arguments: listed };
}

function checkedArguments(offer: PromptOffer, given: Readonly<Record<string, string>>) {
  const all = new Map(Object.entries(offer.arguments ?? {}));
  for (const name of Object.keys(given)) known('argument', name, all);
  for (const [name, { required }] of all) {
    if (required && !given[name]) throw invalid(`The prompt ${offer.name} needs the argument \`${name}\`.`);
  }
  return given;
}

/** Runs code that may throw anything. The text of an unforeseen exception goes only to the log. */
export async function guarded<T>(
  { report }: Pick<Exchange, 'report'>,
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    report(error);
    throw refused(doorFailure('internal_error'));
  }
}

/**
 * Makes a caller whose person is not asked in the middle of a list. A call that needs the owner's yes is held, then
 * refused.
 */
function unasked({ askable: _, ask: __, ...caller }: Caller): Caller {
  return caller;
}

function isMissing(answer: Question | Refusal): answer is Refusal {
  return answer.kind === 'failed' && answer.failure.http_status === 404;
}

/**
 * Says "not found" in the protocol's own form and the tool's words. Clients recognise it by data that holds only the
 * address.
 */
function notFound(uri: string, { failure }: Refusal): ProtocolError {
  return new ResourceNotFoundError(uri, `${failure.message} ${failure.suggestion}`);
}

function refusedOf(answer: Question | Refusal): ProtocolError {
  return refused(answer.kind === 'failed' ? answer.failure : doorFailure('approval_required'));
}

async function askOrRefuse(answer: Question | Refusal, about: string, { ask }: Exchange) {
  if (answer.kind === 'failed') throw refused(answer.failure);
  return ask(answer, about);
}

/** Writes a failure where the protocol has no `isError`: the text as the message, all of it as data. */
export function refused(failure: Failure): ProtocolError {
  const { InternalError, InvalidParams, InvalidRequest } = ProtocolErrorCode;
  const { http_status } = failure;
  const code = http_status === 400 ? InvalidParams : http_status < 500 ? InvalidRequest : InternalError;
  return new ProtocolError(code, `${failure.message} ${failure.suggestion}`, { [ERROR_META]: failure });
}

/** Looks a name up without reaching what every object inherits, because the name comes from outside. */
function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

function known<T>(what: string, name: string, all: ReadonlyMap<string, T>): T {
  const found = all.get(name);
  if (found !== undefined) return found;
  const close = nearest(name, all.keys());
  const hint = close ? ` Did you mean ${close}?` : '';
  throw invalid(`Unknown ${what}: ${JSON.stringify(name.slice(0, 64))}.${hint}`);
}

/** Gives a list that is always whole, so that every cursor is somebody else's. */
export function onePage<T>(cursor: string | undefined, list: T): T {
  if (cursor !== undefined) throw invalid('This cursor was not given out here.');
  return list;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
