import { SCOPES } from '../../contracts/contract.ts';
import { isWithin } from '../core/clock.ts';
import type { AddressOf } from './address.ts';
import type { AuthPorts } from './auth-ports.ts';
import { type Bearer, rememberTokens } from './bearer.ts';
import { credentialsBy } from './leash.ts';
import type { GrantProps, OAuthEnv } from './oauth-server.ts';
import { ACCESS_MS, OWNER_ID, oauthServer } from './oauth-server.ts';
import type { OwnerStub } from './owner-stub.ts';
import { appPrincipal, tokenPrincipal } from './principals.ts';

interface AuthSettings {
  readonly origin: string;
  readonly env: OAuthEnv;
  readonly ownerKeyHash: string | undefined;
  readonly addressOf: AddressOf;
  owner(): OwnerStub;
  /** Left out where no machine can be paired. */
  shutOutMachine?(id: string): Promise<void>;
  /** Left out where nothing is lent. */
  endLoans?: AuthPorts['endLoans'];
  report(error: unknown, where: string): void;
}

/** Makes everything that decides who may do what, from the settings. */
export function makeAuth({
  origin,
  env,
  ownerKeyHash,
  addressOf,
  owner,
  shutOutMachine,
  endLoans,
  report,
}: AuthSettings) {
  const server = oauthServer(origin, owner, { addressOf, report });
  const resource = `${origin}/mcp`;
  const tokens = rememberTokens(async (token): Promise<Bearer | undefined> => {
    if (token.startsWith('bwl_pat_')) {
      const found = await owner().token(token);
      return (
        (found && {
          principal: tokenPrincipal(found.id),
          client: found.name,
          scopes: new Set(found.scopes),
          expiresAt: found.expiresAt,
        }) ||
        undefined
      );
    }
    const valid = await server.validateToken<GrantProps>(resource, token, env);
    if (!valid || valid.userId !== OWNER_ID) return undefined;
    const expiresAt = (valid.expiresAt ?? 0) * 1000;
    // The library checks only the end of the token's time, which is too far away after the clock was set back.
    if (!isWithin(ACCESS_MS, expiresAt - ACCESS_MS, Date.now())) return undefined;
    // KV may still hold a grant that was revoked a moment ago; the owner's object does not.
    if (!(await owner().hasAccess(valid.props.accessId))) return undefined;
    return {
      principal: appPrincipal(valid.clientId),
      client: valid.props.clientName,
      scopes: new Set(SCOPES.filter((scope) => valid.scope?.includes(scope))),
      expiresAt,
    };
  });
  const ports: AuthPorts = {
    origin,
    env,
    ownerKeyHash,
    server,
    oauth: server.getOAuthApi(env),
    addressOf,
    owner,
    shutOutMachine: shutOutMachine ?? (() => Promise.resolve()),
    endLoans: endLoans ?? (() => Promise.resolve(0)),
    forgetTokens: tokens.forget,
  };
  const tokenEnds = async (token: string) => (await tokens.renewed(token))?.expiresAt;
  return {
    ports,
    bearerOf: tokens.lookup,
    wasGood: tokens.wasGood,
    credentialOf: credentialsBy({ owner, tokenEnds }),
  };
}
