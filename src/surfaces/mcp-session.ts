import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Askable } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';
import { askableOf } from './askable.ts';
import { declaresCards } from './cards.ts';

/** A 2025 client's description of itself from its first message. */
export interface McpSession {
  /** Tells this client from every other one, also from those with the same token. */
  readonly name: string;
  readonly askable: Askable;
  /** True if the client shows cards in its chat. */
  readonly cards: boolean;
}

/**
 * Gives 2025 clients a session id that carries what they can be asked, so that nothing has to be stored. It authorises
 * nothing: each request still needs its token.
 */
interface McpSessions {
  /** Makes the id for a client that begins with this message. */
  begin(principal: string, initialize: unknown): string;
  /** Tells if an id claims that its client can be asked something. Checks nothing. */
  claimsAskable(id: string | null): boolean;
  /** Tells if an id claims that its client shows cards. Checks nothing. */
  claimsCards(id: string | null): boolean;
  /** Reads an id. Gives `undefined` for one that is unknown, old, or made for somebody else. */
  read(id: string | null, principal: string): McpSession | undefined;
}

const LETTERS = { url: 'u', form: 'f', sampling: 's', roots: 'r' } as const;
/** Stands behind the other letters. */
const CARDS = 'c';
const SHAPE = /^1\.([a-z]*)\.([\w-]{22})\.([\w-]{43})$/;

/** Makes session ids that only the holder of the key can make. */
export function sessionsSignedWith(key: string): McpSessions {
  const signed = (principal: string, said: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['mcp-session', principal, said]))
      .digest('base64url');
  return {
    begin: (principal, initialize) => {
      const params = isRecord(initialize) && isRecord(initialize.params) ? initialize.params : {};
      const capabilities = isRecord(params.capabilities) ? params.capabilities : undefined;
      const askable = askableOf(capabilities);
      const asks = Object.entries(LETTERS).filter(([kind]) => askable[kind as keyof Askable]);
      const letters = [...asks.map(([, letter]) => letter), ...(declaresCards(capabilities) ? [CARDS] : [])];
      const said = `1.${letters.join('')}.${randomBytes(16).toString('base64url')}`;
      return `${said}.${signed(principal, said)}`;
    },
    claimsAskable: (id) => id !== null && /^1\.[ufsr]/.test(id),
    claimsCards: (id) => id !== null && /^1\.[a-z]*c\./.test(id),
    read: (id, principal) => {
      const [, letters, name, mac] = SHAPE.exec(id ?? '') ?? [];
      if (letters === undefined || name === undefined || mac === undefined) return undefined;
      const right = signed(principal, `1.${letters}.${name}`);
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(right))) return undefined;
      const can = (kind: keyof Askable) => letters.includes(LETTERS[kind]);
      return {
        name,
        askable: { url: can('url'), form: can('form'), sampling: can('sampling'), roots: can('roots') },
        cards: letters.includes(CARDS),
      };
    },
  };
}
