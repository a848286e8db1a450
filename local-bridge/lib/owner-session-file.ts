import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { bowlineHome } from './home.ts';
import { jsonOrNothing, readIfThere, writePrivate } from './private-file.ts';

/** A working day. The gateway ends a session that nobody uses after twelve hours. */
const KEPT_MS = 8 * 3_600_000;

const heldShape = z.object({ cookie: z.string(), 'x-csrf-token': z.string() });
const fileShape = z.object({ url: z.string(), until: z.number(), held: heldShape });

/** The headers that prove a request to be the owner's. */
export type HeldSession = z.infer<typeof heldShape>;

/** The Bowline folder is closed to every tool and command. One session is kept: that of the last `login`. */
const path = () => join(bowlineHome(), 'owner-session.json');

/** Keeps a session for the owner's next commands in this folder. It ends after eight hours, even if it is in use. */
export function keepOwnerSession(url: string, held: HeldSession, until = Date.now() + KEPT_MS): number {
  writePrivate(path(), `${JSON.stringify({ url, until, held })}\n`);
  return until;
}

/** Gives the session that is kept for a gateway. A damaged file counts as none. */
export function keptOwnerSession(url: string): z.infer<typeof fileShape> | undefined {
  const kept = fileShape.safeParse(jsonOrNothing(readIfThere(path()) ?? ''));
  return kept.success && kept.data.url === url && kept.data.until > Date.now() ? kept.data : undefined;
}

export function forgetOwnerSession(): void {
  rmSync(path(), { force: true });
}
