import { isRecord } from '../core/is-record.ts';

/** The protocol's name for cards in a chat (MCP Apps), in a client's capabilities. */
const CARDS = 'io.modelcontextprotocol/ui';
/** The type of a card's page. A client that shows cards lists it. */
export const CARD_TYPE = 'text/html;profile=mcp-app';

/** Tells if a client's capabilities say that it shows cards. */
export function declaresCards(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const said = isRecord(extensions) ? extensions[CARDS] : undefined;
  return isRecord(said) && Array.isArray(said.mimeTypes) && said.mimeTypes.includes(CARD_TYPE);
}
