import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Result, Success } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import type { Door } from '../core/invoke.ts';
import { JsonRefused } from '../core/json.ts';
import { prepareCall } from '../core/prepared-call.ts';
import type { Tool } from '../core/tools.ts';
import { VERSION } from '../core/version.ts';
import type { AskedCard, cardState } from '../gate/card-state.ts';
import { pageOf } from '../gate/elicitation.ts';
import { MinuteCounts, untilNextMinute } from '../gate/minute-counts.ts';
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
export interface CardPorts {
  gate(): { card(asked: AskedCard, principal: string): Promise<ReturnType<typeof cardState>> };
  find(tool: string): Promise<Tool | undefined>;
  readonly place: Door['place'];
  /** The gateway's origin, where approvals have their pages. */
  readonly origin: string;
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

const input = z.strictObject({
  code: z.string().max(20).optional(),
  tool: z.string().max(200).optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  known: z.boolean().default(false),
});

const listedTool: ListedTool = {
  name: WAITING_CALL,
  title: 'Follow a waiting call',
  description:
    'For the cards in the chat: says how a call of yours stands that waits for its owner. It decides nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'The code of the approval.' },
      tool: { type: 'string', description: 'Without a code: the tool that was called.' },
      arguments: { type: 'object', description: 'Without a code: its arguments.' },
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
      const parsed = input.safeParse(args ?? {});
      const by = parsed.success ? await named(parsed.data, caller, ports) : undefined;
      if (!parsed.success || by === 'nothing') {
        const message = 'A card asks by the `code` of an approval, or by `tool` and `arguments`.';
        return { kind: 'failed', failure: doorFailure('invalid_input', { message }) };
      }
      const state = by && (await ports.gate().card({ by, whole: !parsed.data.known }, caller.principal));
      return success(state ? shown(state, ports.origin) : { state: 'none' });
    },
  };
}

function withCard(contract: AnyContract): ListedTool {
  const listed = mcpTool(contract);
  if (contract.risk === 'read_only' && !SHOWN.has(contract.wireName)) return listed;
  return { ...listed, _meta: { ...listed._meta, ui: { resourceUri: CARD } } };
}

/** Finds what a card asks about. Gives `undefined` for a call that could not be made now, which nobody waits for. */
async function named(
  { code, tool: name, arguments: args = {} }: z.output<typeof input>,
  caller: Caller,
  { find, place }: CardPorts,
): Promise<AskedCard['by'] | undefined | 'nothing'> {
  if (code !== undefined) return { code };
  if (name === undefined) return 'nothing';
  const contract = (await find(name))?.contract;
  // As at the door: nothing is placed, and no machine asked, for a caller who may not call the tool.
  if (!contract || !caller.scopes.has(contract.scope)) return undefined;
  const parsed = contract.input.safeParse(args);
  if (!parsed.success) return undefined;
  const placed = await place(contract, parsed.data, caller);
  if ('kind' in placed) return undefined;
  try {
    return { digest: prepareCall({ callId: '', contract, caller, input: parsed.data }, placed).digest };
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

function shown(
  { code, state, askedAgo, left, note, ran, call }: NonNullable<ReturnType<typeof cardState>>,
  origin: string,
) {
  return {
    state,
    code,
    address: pageOf({ code }, origin),
    asked_seconds_ago: Math.floor(askedAgo / 1_000),
    seconds_left: Math.ceil(left / 1_000),
    note,
    ran: ran && { call_id: ran.id, outcome: ran.outcome, code: ran.code },
    ...(call ? { call } : {}),
  };
}

function success(output: Record<string, unknown>): Success {
  return { kind: 'ok', output };
}
