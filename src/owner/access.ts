import type { GrantSummary } from '@cloudflare/workers-oauth-provider';
import type { AuthPorts } from './auth-ports.ts';
import { type GrantProps, OWNER_ID } from './oauth-server.ts';

/** A connected app, as the owner sees it. */
export interface ConnectedApp {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
}

/** Lists everything that can open a door here. */
export async function listAccess({ owner, oauth }: AuthPorts) {
  const [held, apps] = await Promise.all([owner().access(), allGrants(oauth)]);
  return { ...held, apps: apps.map(appOf) };
}

export async function revokeApp(
  { owner, oauth, forgetTokens }: AuthPorts,
  grantId: string,
): Promise<boolean> {
  const grant = (await allGrants(oauth)).find(({ id }) => id === grantId);
  if (!grant) return false;
  const { accessId } = metadataOf(grant);
  if (accessId !== undefined) await owner().endAccess(accessId);
  await oauth.revokeGrant(grantId, OWNER_ID);
  forgetTokens();
  return true;
}

/** Shuts every door: apps, tokens, machines and sessions, the one in use included. */
export async function revokeEverything(ports: AuthPorts): Promise<void> {
  const { owner, oauth, forgetTokens } = ports;
  const grants = await allGrants(oauth);
  await Promise.all([
    // Every door asks the owner's object, so it comes first. Then open sockets are closed one by one.
    owner()
      .revokeAll()
      .then((machines) => Promise.all(machines.map((id) => shutOut(ports, id)))),
    ...grants.map((grant) => oauth.revokeGrant(grant.id, OWNER_ID)),
  ]);
  forgetTokens();
}

/** Unpairs one machine and closes its sockets. */
export async function revokeMachine(ports: Pick<AuthPorts, 'owner' | 'shutOutMachine'>, id: string) {
  if (!(await ports.owner().revokeMachine(id))) return false;
  await shutOut(ports, id);
  return true;
}

/**
 * Closes machines' sockets, and forgets only those that are surely closed, so that "revoke everything" tries
 * the others again.
 */
async function shutOut({ owner, shutOutMachine }: Pick<AuthPorts, 'owner' | 'shutOutMachine'>, id: string) {
  await shutOutMachine(id);
  await owner().forgetMachine(id);
}

async function allGrants(oauth: AuthPorts['oauth']): Promise<GrantSummary[]> {
  const grants: GrantSummary[] = [];
  let cursor: string | undefined;
  do {
    const batch = await oauth.listUserGrants(OWNER_ID, cursor ? { cursor } : {});
    grants.push(...batch.items);
    cursor = batch.cursor;
  } while (cursor);
  return grants;
}

/** Reads what consent stored beside the grant. */
function metadataOf({ metadata }: GrantSummary): Partial<GrantProps> {
  return metadata ?? {};
}

function appOf(grant: GrantSummary): ConnectedApp {
  const { clientName } = metadataOf(grant);
  return {
    id: grant.id,
    name: clientName ?? grant.clientId,
    clientId: grant.clientId,
    scopes: grant.scope,
    createdAt: grant.createdAt * 1000,
  };
}
