import type { GrantSummary } from '@cloudflare/workers-oauth-provider';
import { SCOPES, type TokenScope } from '../../contracts/contract.ts';
import { OWNER_PRINCIPAL } from '../core/call.ts';
import type { AuthPorts } from './auth-ports.ts';
import { type GrantProps, OWNER_ID } from './oauth-server.ts';
import { appPrincipal, tokenPrincipal } from './principals.ts';

/** A connected app, as the owner sees it. */
interface ConnectedApp {
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

/** Finds out what a principal may do now, from the store. Gives `undefined` if they may not do anything any more. */
export async function scopesOf(
  principal: string,
  { owner, oauth }: Pick<AuthPorts, 'owner' | 'oauth'>,
): Promise<ReadonlySet<TokenScope> | undefined> {
  if (principal === OWNER_PRINCIPAL) return new Set(SCOPES);
  const [kind, id = ''] = principal.split(/:(.*)/s);
  if (kind === 'token') {
    const token = (await owner().access()).tokens.find((one) => one.id === id);
    return token && new Set(token.scopes);
  }
  if (kind !== 'app') return undefined;
  const held = new Set<TokenScope>();
  for (const grant of await allGrants(oauth)) {
    const { accessId } = metadataOf(grant);
    if (grant.clientId !== id || accessId === undefined || !(await owner().hasAccess(accessId))) continue;
    for (const scope of SCOPES) if (grant.scope.includes(scope)) held.add(scope);
  }
  return held.size === 0 ? undefined : held;
}

/** Revokes a script's token. Tells if there was one. */
export async function revokePersonalToken(
  { owner, forgetTokens, endLoans }: Pick<AuthPorts, 'owner' | 'forgetTokens' | 'endLoans'>,
  id: string,
): Promise<boolean> {
  const found = await owner().revokeToken(id);
  forgetTokens();
  await endLoans({ principal: tokenPrincipal(id) });
  return found;
}

export async function revokeApp(
  { owner, oauth, forgetTokens, endLoans }: AuthPorts,
  grantId: string,
): Promise<boolean> {
  const grant = (await allGrants(oauth)).find(({ id }) => id === grantId);
  if (!grant) return false;
  const { accessId } = metadataOf(grant);
  if (accessId !== undefined) await owner().endAccess(accessId);
  await oauth.revokeGrant(grantId, OWNER_ID);
  forgetTokens();
  await endLoans({ principal: appPrincipal(grant.clientId) });
  return true;
}

/** Shuts every door: apps, tokens, machines and sessions, the one in use included. */
export async function revokeEverything(ports: AuthPorts): Promise<void> {
  const { owner, oauth, forgetTokens, endLoans } = ports;
  const grants = await allGrants(oauth);
  try {
    await Promise.all([
      // Every door asks the owner's object, so it comes first. Then open sockets are closed one by one.
      owner()
        .revokeAll()
        .then((machines) => Promise.all(machines.map((id) => shutOut(ports, id)))),
      ...grants.map((grant) => oauth.revokeGrant(grant.id, OWNER_ID)),
    ]);
  } finally {
    forgetTokens();
    await endLoans({});
  }
}

/** Unpairs one machine and closes its sockets. */
export async function revokeMachine(
  ports: Pick<AuthPorts, 'owner' | 'shutOutMachine' | 'endLoans'>,
  id: string,
) {
  if (!(await ports.owner().revokeMachine(id))) return false;
  try {
    await shutOut(ports, id);
  } finally {
    await ports.endLoans({ machineId: id });
  }
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
