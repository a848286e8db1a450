import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import type { Answer, Answered } from './ask.ts';
import { type Finding, failed, ok } from './finding.ts';
import type { Subject } from './subject.ts';
import { troubleOnTheWay } from './trouble.ts';
import type { Vendor } from './vendors.ts';

/** The metadata of an authorization server, as far as apps use it. */
export const serverShape = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
});
export type ServerMetadata = z.infer<typeof serverShape>;
const registeredShape = z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) });

const ALL = { accept: '*/*' };

export function checkPkce({ code_challenge_methods_supported: methods = [] }: ServerMetadata): Finding {
  if (methods.includes('S256')) return ok('PKCE', 'S256');
  return failed(
    'PKCE',
    `S256 is not offered (${methods.join(', ') || 'nothing is'}); Claude and ChatGPT sign in no other way.`,
    'Something else answers for the gateway’s OAuth metadata; let /.well-known/* through to the Worker.',
  );
}

export function checkEndpoints({ url }: Subject, metadata: ServerMetadata): Finding {
  const check = 'OAuth endpoints';
  const named = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.registration_endpoint];
  const other = named.find((endpoint) => endpoint !== undefined && !endpoint.startsWith(`${url}/`));
  if (other === undefined) return ok(check, 'all at this address');
  const mixed = other.replace(/^https?:/, '') === other ? false : other.split(':')[0] !== url.split(':')[0];
  return failed(
    check,
    `${visible(other, 200)} ${mixed ? 'mixes http with https' : 'is at another address'}.`,
    `PUBLIC_URL has to be exactly ${url}, scheme included: \`bowline deploy --url ${url}\`.`,
  );
}

export async function checkRegistration(
  { ask, budgetMs, registers }: Subject,
  vendor: Vendor,
  { registration_endpoint: endpoint, client_id_metadata_document_supported: byDocument }: ServerMetadata,
): Promise<Finding> {
  const check = 'registration';
  const cure = 'See that /oauth/* reaches the Worker, and try again in an hour if there were many attempts.';
  if (endpoint === undefined) {
    if (byDocument) return ok(check, 'by client metadata document');
    return failed(check, 'No app can register: neither way is offered.', cure);
  }
  const answer = await ask(endpoint, {
    method: 'POST',
    headers: { ...ALL, 'content-type': 'application/json', 'user-agent': vendor.signInAgent },
    body: JSON.stringify({
      client_name: `bowline doctor (${vendor.name})`,
      // This check must leave nothing behind, so ask for an address that has to be refused.
      redirect_uris: registers ? vendor.callbacks : ['javascript:void'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const trouble = troubleOnTheWay(answer, vendor.signInAgent, budgetMs);
  if (trouble) return failed(check, trouble.found, trouble.cure);
  return registers
    ? checkRegistered(answer as Answered, vendor, cure)
    : checkRefused(answer, check, 'refuses what it must', cure);
}

function checkRegistered({ status, json }: Answered, vendor: Vendor, cure: string): Finding {
  const check = 'registration';
  const said = registeredShape.safeParse(json);
  if (!said.success) return failed(check, `It was refused (${status}).`, cure);
  const missing = vendor.callbacks.find((callback) => !said.data.redirect_uris.includes(callback));
  return missing === undefined
    ? ok(check, `registered, with ${vendor.name}'s callbacks`)
    : failed(check, `It does not take ${vendor.name}'s callback ${missing}.`, cure);
}

export async function checkToken(
  { ask, budgetMs }: Subject,
  vendor: Vendor,
  { token_endpoint: endpoint }: ServerMetadata,
): Promise<Finding> {
  const check = 'token endpoint';
  const answer = await ask(endpoint, {
    method: 'POST',
    headers: {
      ...ALL,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': vendor.signInAgent,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'bowline-doctor',
      code: 'none',
      redirect_uri: vendor.callbacks[0] ?? '',
      code_verifier: 'a'.repeat(43),
    }).toString(),
  });
  const trouble = troubleOnTheWay(answer, vendor.signInAgent, budgetMs);
  if (trouble) return failed(check, trouble.found, trouble.cure);
  return checkRefused(answer, check, 'refuses a made-up code', 'See that /oauth/* reaches the Worker.');
}

/** Checks that an endpoint refuses in OAuth's own words, which shows that it works. */
function checkRefused(answer: Answer, check: string, found: string, cure: string): Finding {
  if (answer.kind === 'nothing') return failed(check, answer.why, cure);
  const { status, json, ms } = answer;
  const isOauth = z.looseObject({ error: z.string() }).safeParse(json).success;
  if (isOauth && status >= 400 && status < 500) return ok(check, `${found}, ${ms} ms`);
  return failed(check, `It answers ${status}, but not as OAuth does.`, cure);
}
