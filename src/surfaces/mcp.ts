import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpRequestContext,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller, Question } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { nearest } from '../core/nearest.ts';
import type { ToolSet } from '../core/tools.ts';
import { listWith } from '../joined/joined-lists.ts';
import type { JoinedOffer } from '../joined/joined-offer.ts';
import { askableOf } from './askable.ts';
import { type CardOffer, WAITING_CALL } from './card-calls.ts';
import { declaresCards } from './cards.ts';
import { mcpTool } from './describe.ts';
import { untilAnswered } from './mcp-asking.ts';
import type { Offers } from './mcp-offers.ts';
import { introduction, render, serverInfo } from './mcp-render.ts';
import { type Rounds, roundsSignedWith } from './mcp-rounds.ts';
import { canComplete, guarded, onePage, prepareOffers, refused } from './mcp-serve-offers.ts';
import { created, prepareTasks, requireTasks, TaskServer, takesTasks } from './mcp-tasks.ts';
import { TASKS, type TaskPort } from './tasks.ts';

/** The offer of an MCP endpoint. All of it is made once and shared by all requests. */
export interface McpOffer extends Offers {
  readonly tools: ToolSet;
  /** More tools, which come and go. */
  readonly joined?: JoinedOffer;
  /** Gives what a client that begins is to tell its model about this server. */
  instructionsOf?(context: McpRequestContext): string | undefined;
  /** Gives the question with which the request's call ended already: it is only to be put. */
  endedOf?(context: McpRequestContext): Question | undefined;
  /** The address of the pages that a person can open. */
  readonly origin?: string;
  /** True to answer `logging/setLevel` and send handlers' log lines. */
  readonly logging?: boolean;
  /** True to announce changed lists and resources. Set it only with a bus that reaches every open stream. */
  readonly announces?: boolean;
  /** The calls that go on after their answer. Left out where every call is answered with its end. */
  readonly tasks?: TaskPort;
  /** What clients that show cards get besides. */
  readonly cards?: CardOffer;
  /** The key that signs the state of questions: at least 32 bytes, the same in every isolate. */
  readonly stateKey?: string;
  /** The connection's own name, if all requests come on it. It makes their ids unique. */
  readonly connection?: string;
  /** Finds the caller as far as the transport knows it. The request's own part is added here. */
  callerOf(context: McpRequestContext): Caller;
  /** Takes what is wrong with a message of a client. */
  malformed?(error: Error): void;
  /** Takes an error whose text no client sees. */
  report?(error: unknown, where: string): void;
}

/** The time that a client may keep a list, in milliseconds. Lists change only with a new version or a setting. */
const LIST_TTL_MS = 300_000;

/** Makes the SDK's server for one request (HTTP) or one connection (stdio), in the protocol of either era. */
export function mcpServerFactory(offer: McpOffer): McpServerFactory {
  const { tasks, cards } = offer;
  const listed = listWith(offer, (contracts) => ({ tools: contracts.map(mcpTool) }));
  const listedWithCards = cards && listWith(offer, (contracts) => ({ tools: cards.listed(contracts) }));
  const introduced = introduction(offer.origin);
  const rounds = roundsSignedWith(offer.stateKey);
  const { resources = [] } = offer;
  const installOffers = prepareOffers(
    cards ? { ...offer, resources: [...resources, cards.resources] } : offer,
  );
  const installTasks = tasks && prepareTasks(tasks);
  const report = (error: unknown) => offer.report?.(error, 'mcp');
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' as const };
  const options = {
    cacheHints: {
      'tools/list': hint,
      'prompts/list': hint,
      'resources/list': hint,
      'resources/templates/list': hint,
      'resources/read': { ttlMs: 0, cacheScope: 'private' as const },
      'server/discover': hint,
    },
    // 2025 clients are asked on the stream of their call, in `mcp-asking.ts`.
    inputRequired: { legacyShim: false },
    requestState: { verify: rounds.verify },
  };
  const toReaders = { ...options, capabilities: capabilitiesOf(offer) };
  // A client may follow only what the server of its request lists as capabilities.
  const toOthers = { ...options, capabilities: withoutNews(capabilitiesOf(offer)) };
  // News travels on `subscriptions/listen`, which 2025 clients lack, so they are promised none.
  const { extensions: _, ...older } = capabilitiesOf({ ...offer, announces: false });
  const toOlder = { ...options, capabilities: older };
  return (context) => {
    const caller = offer.callerOf(context);
    const instructions = offer.instructionsOf?.(context);
    const server = new TaskServer(instructions === undefined ? serverInfo : introduced, {
      ...(context.era === 'legacy' ? toOlder : caller.scopes.has('read') ? toReaders : toOthers),
      ...(instructions === undefined ? {} : { instructions }),
    });
    server.onerror = offer.malformed ?? report;
    const { principal } = caller;
    const exchange = {
      callerFor: (ctx: ServerContext, about: string) => ({
        ...callerFor(context.era === 'legacy' ? caller : askedByAnswer(caller, ctx), ctx, rounds, about),
        ...(offer.connection === undefined
          ? {}
          : { requestName: `${offer.connection} ${JSON.stringify(ctx.mcpReq.id)}` }),
      }),
      ask: (question: Question, about: string) => {
        // As over REST: a caller who cannot be asked learns to come back when the owner has decided.
        if (context.era === 'legacy') throw refused(doorFailure('approval_required'));
        return guarded({ report }, () => rounds.ask(question, { principal, about }));
      },
      report,
    };
    server.setRequestHandler('tools/list', async ({ params }, ctx) => {
      const isLegacy = context.era === 'legacy';
      const list = (isLegacy ? caller : askedByAnswer(caller, ctx)).cards ? listedWithCards : undefined;
      return onePage(params?.cursor, (await (list ?? listed)()).made);
    });
    server.setRequestHandler('tools/call', async (request, ctx) => {
      const { name, arguments: args } = request.params;
      if (cards && name === WAITING_CALL) {
        const caller = exchange.callerFor(ctx, `tools/call ${name}`);
        const answer = caller.cards && (await cards.follow(args, caller));
        if (answer && answer.kind !== 'needs_input') return render(answer);
      }
      const tool = offer.tools.get(name) ?? (await offer.joined?.find(name));
      if (!tool) throw unknownTool(name, offer.tools);
      const about = `tools/call ${name}`;
      if (tasks?.needsTask?.(name)) requireTasks(ctx);
      const run = () => {
        const asked = exchange.callerFor(ctx, about);
        if (tasks && takesTasks(ctx)) return tasks.run(tool, args, asked);
        return untilAnswered(asked, (caller) => tool.call(args, caller));
      };
      const result = offer.endedOf?.(context) ?? (await run());
      if (result.kind === 'task') return created(result);
      if (result.kind !== 'needs_input') return render(result);
      // As over REST: a caller who cannot be asked learns to come back when the owner has decided.
      if (context.era === 'legacy')
        return render({ kind: 'failed', failure: doorFailure('approval_required') });
      return exchange.ask(result, about);
    });
    installOffers(server, exchange);
    if (context.era !== 'legacy') installTasks?.(server, exchange);
    return server;
  };
}

function capabilitiesOf(offer: McpOffer) {
  const { resources = [], prompts = [], announces = false, logging = false, tasks } = offer;
  const lists = announces ? { listChanged: true } : {};
  return {
    tools: lists,
    ...(resources.length > 0 ? { resources: { ...lists, ...(announces ? { subscribe: true } : {}) } } : {}),
    ...(prompts.length > 0 ? { prompts: lists } : {}),
    ...(canComplete(offer) ? { completions: {} } : {}),
    ...(logging ? { logging: {} } : {}),
    ...(tasks ? { extensions: { [TASKS]: {} } } : {}),
  };
}

/**
 * Removes news from the capabilities for callers who may not read: changed files of the repo or the memory do not
 * concern them.
 */
function withoutNews(capabilities: ReturnType<typeof capabilitiesOf>) {
  return 'resources' in capabilities ? { ...capabilities, resources: {} } : capabilities;
}

/** Adds to the connection's caller what only this request knows. */
function callerFor(caller: Caller, ctx: ServerContext, rounds: Rounds, about: string): Caller {
  const { mcpReq } = ctx;
  const token = mcpReq._meta?.progressToken;
  const answers = rounds.answersOf(ctx, { principal: caller.principal, about });
  return {
    ...caller,
    signal: mcpReq.signal,
    ...(answers ? { answers } : {}),
    // Do not wait for either message: a reader that left must not fail the call.
    log: (level, data, logger) => void mcpReq.log(level, data, logger).catch(ignoreClosed),
    ...(token === undefined
      ? {}
      : {
          progress: (update) =>
            void mcpReq
              .notify({ method: 'notifications/progress', params: { progressToken: token, ...update } })
              .catch(ignoreClosed),
        }),
  };
}

/** A 2026 client says with each request what it can do and be asked, and is asked in the answer. */
function askedByAnswer({ ask: _, ...caller }: Caller, { mcpReq }: ServerContext): Caller {
  const said = (mcpReq.envelope as Envelope)?.[CLIENT_CAPABILITIES_META_KEY];
  return { ...caller, askable: askableOf(said), cards: declaresCards(said) };
}

/** The SDK checks the envelope but gives its keys no types. */
type Envelope = { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;

function ignoreClosed(): void {
  // The stream is closed. The call's own end reports what matters.
}

function unknownTool(name: string, tools: ToolSet): ProtocolError {
  const close = nearest(name, tools.keys());
  const shown = JSON.stringify(name.slice(0, 64));
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${shown}.${close ? ` Did you mean ${close}?` : ' Use tools/list to see what there is.'}`,
  );
}
