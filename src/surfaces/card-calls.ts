import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { VERSION } from '../core/version.ts';
import { MinuteCounts, untilNextMinute } from '../gate/minute-counts.ts';
import { type FollowPorts, followed } from './card-follow.ts';
import { CARD_TYPE } from './cards.ts';
import { mcpTool } from './describe.ts';
import type { ResourceSource } from './mcp-offers.ts';

const PREFIX = 'ui://bowline/card';
/** The page's address names the version, because some clients keep a page for as long as its address is the same. */
const CARD = `${PREFIX}-${VERSION}.html`;
/** The tool by which cards follow a call. Models are not shown it, and it decides nothing. */
export const WAITING_CALL = 'waiting_call';
/** Twenty open cards, each asking every two seconds. */
const MAX_PER_MINUTE = 600;

/** The tools that wait for nobody and have a card all the same, because it says more than their text. */
const SHOWN = new Set(['search', 'search_web', 'grep_search', 'list_machines', 'terminal_last_command']);

/** The parts that it takes to show cards. */
export interface CardPorts extends FollowPorts {
  /** Gives the page that every card is. */
  page(): Promise<string>;
}

/** What clients that show cards get besides. */
export interface CardOffer {
  /** Describes all tools, each with its card if it has one. */
  listed(contracts: readonly AnyContract[]): ListedTool[];
  readonly resources: ResourceSource;
  /** Answers a card that follows a call. It only looks. */
  follow(args: unknown, caller: Caller): Promise<Result>;
}

const listedTool: ListedTool = {
  name: WAITING_CALL,
  title: 'Follow a waiting call',
  description:
    'For the cards in the chat: says how a call of yours stands that waits for its owner or runs. It decides nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'The code of the approval.' },
      call_id: { type: 'string', description: 'Without a code: the id of a call that runs.' },
      tool: { type: 'string', description: 'Without either: the tool that was called.' },
      arguments: { type: 'object', description: 'Without either: its arguments.' },
      known: { type: 'boolean', description: 'True to leave out what the call is.' },
    },
  },
  annotations: {
    title: 'Follow a waiting call',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  _meta: { ui: { visibility: ['app'] } },
};

/** Makes the cards' side of an MCP endpoint. */
export function cardOffer(ports: CardPorts): CardOffer {
  const asked = new MinuteCounts();
  return {
    listed: (contracts) => [...contracts.map(withCard), listedTool],
    resources: {
      prefix: PREFIX,
      // Clients find the page by its tools. In a list it would only be one more file for people to pick.
      list: () => ({ resources: [] }),
      read: async (uri, { cards }) => {
        // A list that a client kept may name the page of an earlier version.
        if (!cards || !/^[\w.-]*$/.test(uri.slice(PREFIX.length))) return undefined;
        const _meta = { ui: { csp: {}, prefersBorder: false } };
        return [{ uri, mimeType: CARD_TYPE, text: await ports.page(), _meta }];
      },
    },
    async follow(args, caller) {
      const now = Date.now();
      if (asked.of(caller.principal, now) >= MAX_PER_MINUTE) {
        const retryAfter = untilNextMinute(now) / 1_000;
        return { kind: 'failed', failure: doorFailure('rate_limited', { retryAfter }) };
      }
      asked.add(caller.principal, now);
      return followed(args, caller, ports);
    },
  };
}

function withCard(contract: AnyContract): ListedTool {
  const listed = mcpTool(contract);
  if (contract.risk === 'read_only' && !SHOWN.has(contract.wireName)) return listed;
  return { ...listed, _meta: { ...listed._meta, ui: { resourceUri: CARD } } };
}
