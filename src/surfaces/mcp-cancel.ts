import { sha256 } from '../core/call-digest.ts';
import { isRecord } from '../core/is-record.ts';
import { MODERN } from './mcp-envelope.ts';

/** Passes messages between requests, which may be in different isolates. */
export interface Mail {
  post(name: string, text: string): Promise<void>;
  /** Gives a message to the one request that waits for it now. Gives `false` if none does, or several do. */
  tell(name: string, text: string): Promise<boolean>;
  /** Gives the message of that name, once, or `null` if none came in that time. */
  take(name: string, ms: number): Promise<string | null>;
}

const WAIT_MS = 20_000;

/** Names a request of a 2025 client. Two clients with one token count their requests alike, so the session belongs to it. */
export function cancelName(principal: string, session: string, id: string | number): string {
  return `cancel ${sha256(JSON.stringify([principal, session, id]))}`;
}

/**
 * Names a 2026 client by what it says of itself with each message: it has no session. By its protocol leaving cancels, and
 * programs between it and a client of stdio pass the message on instead.
 */
export function clientIn(body: unknown): string | undefined {
  const params = isRecord(body) ? body.params : undefined;
  const meta = isRecord(params) ? params._meta : undefined;
  if (!isRecord(meta) || meta['io.modelcontextprotocol/protocolVersion'] !== MODERN) return undefined;
  const info = meta['io.modelcontextprotocol/clientInfo'];
  return `client ${JSON.stringify(isRecord(info) ? [info.name, info.version] : [])}`;
}

/** The waits between attempts: a call is listened for once it has taken a second, and not in every moment from then on. */
const TRY_AGAIN_MS = [0, 700, 700];

/**
 * Ends the request of a 2026 client. Two clients that call themselves alike may count alike: if both wait, nobody knows which
 * is meant, and neither ends.
 */
export async function cancelNamed(mail: Mail, name: string): Promise<void> {
  for (const ms of TRY_AGAIN_MS) {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (await mail.tell(name, '')) return;
  }
}

/** Finds the request that a message cancels, if it cancels one. */
export function cancelledIn(body: unknown): string | number | undefined {
  if (!isRecord(body) || body.method !== 'notifications/cancelled' || 'id' in body) return undefined;
  const id = isRecord(body.params) ? body.params.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Waits for the message that a request is cancelled, for as long as the request lasts. */
export async function untilCancelled(
  mail: Mail,
  name: string,
  { isOver, cancel }: { isOver(): boolean; cancel(): void },
): Promise<void> {
  while (!isOver()) if ((await mail.take(name, WAIT_MS)) !== null) return cancel();
}
