import { sha256 } from '../core/call-digest.ts';
import { isRecord } from '../core/is-record.ts';

/** Passes messages between requests, which may be in different isolates. */
export interface Mail {
  post(name: string, text: string): Promise<void>;
  /** Gives the message of that name, once, or `null` if none came in that time. */
  take(name: string, ms: number): Promise<string | null>;
}

const WAIT_MS = 20_000;

/** Names a request of a 2025 client. Two clients with one token count their requests alike, so the session belongs to it. */
export function cancelName(principal: string, session: string, id: string | number): string {
  return `cancel ${sha256(JSON.stringify([principal, session, id]))}`;
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
