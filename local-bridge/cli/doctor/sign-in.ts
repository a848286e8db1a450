import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import type { Answered } from './ask.ts';
import {
  checkEndpoints,
  checkPkce,
  checkRegistration,
  checkToken,
  type ServerMetadata,
  serverShape,
} from './endpoints.ts';
import { type Finding, failed, ok } from './finding.ts';
import type { Subject } from './subject.ts';
import { troubleOnTheWay } from './trouble.ts';
import type { Vendor } from './vendors.ts';

const resourceShape = z.looseObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()).min(1),
});

const ALL = { accept: '*/*' };

/** Follows the sign-in as far as consent, like an app that knows only the address. */
export async function* signInChecks(subject: Subject, vendor: Vendor): AsyncGenerator<Finding> {
  const challenge = await checkChallenge(subject, vendor);
  yield challenge;
  if (challenge.state === 'failed') return;
  const resource = await checkResource(subject, vendor);
  yield resource.finding;
  if (!resource.server) return;
  const server = await checkServer(subject, vendor, resource.server);
  yield server.finding;
  if (!server.metadata) return;
  yield checkPkce(server.metadata);
  const endpoints = checkEndpoints(subject, server.metadata);
  yield endpoints;
  // A server may name any address. Send something only to the gateway's own.
  if (endpoints.state === 'failed') return;
  yield await checkRegistration(subject, vendor, server.metadata);
  yield await checkToken(subject, vendor, server.metadata);
}

async function checkChallenge(subject: Subject, vendor: Vendor): Promise<Finding> {
  const check = 'first contact';
  const { url, ask, budgetMs } = subject;
  const answer = await ask(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'user-agent': vendor.agent,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams(vendor) }),
  });
  const trouble = troubleOnTheWay(answer, vendor.agent, budgetMs);
  if (trouble) return failed(check, trouble.found, trouble.cure);
  const { status, headers, ms } = answer as Answered;
  if (status !== 401) {
    return failed(
      check,
      `Without a token /mcp answers ${status} instead of 401, so ${vendor.name} never offers to sign in.`,
      'Make /mcp reach the Worker itself. Nothing in front of it may sign in or answer for it.',
    );
  }
  const challenge = headers.get('www-authenticate');
  if (!challenge || !/resource_metadata="/i.test(challenge)) {
    return failed(
      check,
      `The 401 has no WWW-Authenticate header with resource_metadata${challenge ? '' : ' (no such header at all)'}.`,
      'Something in front of the gateway removes it. Let the header WWW-Authenticate through.',
    );
  }
  const named = /resource_metadata="([^"]*)"/i.exec(challenge)?.[1] ?? '';
  if (!URL.canParse(named) || new URL(named).origin !== url) {
    return failed(
      check,
      `The 401 sends ${vendor.name} to ${visible(named, 200)}, which is another address.`,
      `Set PUBLIC_URL: \`bowline deploy --url ${url}\`.`,
    );
  }
  return ok(check, `401 with the way to sign in, ${ms} ms`);
}

/** Gives an app's parameters for opening MCP. */
export function initializeParams({ protocol, client }: Vendor) {
  return { protocolVersion: protocol, capabilities: {}, clientInfo: client };
}

async function checkResource(
  { url, ask, budgetMs }: Subject,
  vendor: Vendor,
): Promise<{ finding: Finding; server?: string }> {
  const check = 'resource metadata';
  const headers = { ...ALL, 'user-agent': vendor.signInAgent };
  const answer = await ask(`${url}/.well-known/oauth-protected-resource/mcp`, { headers });
  const trouble = troubleOnTheWay(answer, vendor.signInAgent, budgetMs);
  if (trouble) return { finding: failed(check, trouble.found, trouble.cure) };
  const said = resourceShape.safeParse((answer as Answered).json);
  if (!said.success) {
    const found = 'It is missing, or names no authorization server.';
    return { finding: failed(check, found, 'See that /.well-known/* reaches the Worker.') };
  }
  const { resource, authorization_servers: servers } = said.data;
  if (resource !== `${url}/mcp`) {
    const found = `Its \`resource\` is ${visible(resource, 200)}, but ${vendor.name} asked ${url}/mcp, so the token will be for the wrong address.`;
    return { finding: failed(check, found, `Set PUBLIC_URL: \`bowline deploy --url ${url}\`.`) };
  }
  const [server = ''] = servers;
  if (!URL.canParse(server) || new URL(server).origin !== url) {
    const found = `It sends ${vendor.name} to ${visible(server, 200)} to sign in, which is not this gateway.`;
    return { finding: failed(check, found, `Set PUBLIC_URL: \`bowline deploy --url ${url}\`.`) };
  }
  return { finding: ok(check, `${resource}, guarded by ${server}`), server };
}

async function checkServer(
  { ask, budgetMs }: Subject,
  vendor: Vendor,
  server: string,
): Promise<{ finding: Finding; metadata?: ServerMetadata }> {
  const check = 'authorization server';
  const cure = 'See that /.well-known/* reaches the Worker, and that PUBLIC_URL is the address you use.';
  const { origin, pathname } = new URL(server);
  const path = pathname === '/' ? '' : pathname;
  const headers = { ...ALL, 'user-agent': vendor.signInAgent };
  const answer = await ask(`${origin}/.well-known/oauth-authorization-server${path}`, { headers });
  const trouble = troubleOnTheWay(answer, vendor.signInAgent, budgetMs);
  if (trouble) return { finding: failed(check, trouble.found, trouble.cure) };
  const said = serverShape.safeParse((answer as Answered).json);
  if (!said.success) {
    const found = `Its metadata is missing or incomplete (${(answer as Answered).status}).`;
    return { finding: failed(check, found, cure) };
  }
  if (said.data.issuer !== server) {
    const found = `It names ${visible(said.data.issuer, 200)} as issuer, but was found as ${visible(server, 200)}. Apps refuse that.`;
    return { finding: failed(check, found, cure) };
  }
  return { finding: ok(check, said.data.issuer), metadata: said.data };
}
