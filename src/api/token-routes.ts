import { Hono } from 'hono';
import { doorFailure } from '../core/failure.ts';
import { failed, ok } from '../http/json-http.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { tokenOf } from '../owner/bearer.ts';
import type { GrantProps } from '../owner/oauth-server.ts';

/** The one thing a token may do about access: end itself, as `bowline logout` has it do. */
export function tokenRoutes({ owner, oauth, forgetTokens }: AuthPorts): Hono {
  const app = new Hono();
  app.delete('/token', async (c) => {
    const token = tokenOf(c.req.raw);
    const personal = token?.startsWith('bwl_pat_') ? await owner().token(token) : undefined;
    const granted = token && !personal ? await oauth.unwrapToken<GrantProps>(token) : undefined;
    if (personal) await owner().revokeToken(personal.id);
    else if (granted) {
      // The grant's own record may be read from a cache for a minute still; this one never is.
      await owner().endAccess(granted.grant.props.accessId);
      await oauth.revokeGrant(granted.grantId, granted.userId);
    } else return failed(doorFailure('unauthorized'));
    forgetTokens();
    return ok({ revoked: true });
  });
  return app;
}
