import { Hono } from 'hono';
import { doorFailure } from '../core/failure.ts';
import { failed, ok } from '../http/json-http.ts';
import { revokePersonalToken } from '../owner/access.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { tokenOf } from '../owner/bearer.ts';
import type { GrantProps } from '../owner/oauth-server.ts';
import { appPrincipal } from '../owner/principals.ts';

/** Lets a token do its only act on access: end itself, as `bowline logout` asks. */
export function tokenRoutes(ports: AuthPorts): Hono {
  const { owner, oauth, forgetTokens, endLoans } = ports;
  const app = new Hono();
  app.delete('/token', async (c) => {
    const token = tokenOf(c.req.raw);
    const personal = token?.startsWith('bwl_pat_') ? await owner().token(token) : undefined;
    const granted = token && !personal ? await oauth.unwrapToken<GrantProps>(token) : undefined;
    if (personal) await revokePersonalToken(ports, personal.id);
    else if (granted) {
      // A cache may serve the grant's own record for another minute. This record is never cached.
      await owner().endAccess(granted.grant.props.accessId);
      await oauth.revokeGrant(granted.grantId, granted.userId);
      forgetTokens();
      await endLoans({ principal: appPrincipal(granted.grant.clientId) });
    } else return failed(doorFailure('unauthorized'));
    return ok({ revoked: true });
  });
  return app;
}
