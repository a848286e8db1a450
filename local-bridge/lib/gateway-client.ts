import * as z from 'zod';
import type { AnyContract } from '../../contracts/contract.ts';
import type { Result } from '../../src/core/call.ts';
import { credentialFor } from './credentials.ts';
import { CliError } from './exit.ts';
import { freshAccessToken } from './oauth.ts';

/** A failure in the form that the gateway sends. */
export const failureShape = z.looseObject({
  code: z.string(),
  http_status: z.int(),
  message: z.string(),
  suggestion: z.string(),
  retry_after: z.int().optional(),
  call_id: z.string().optional(),
  replayed: z.literal(true).optional(),
});

/** Runs a tool through a gateway's REST door. */
export async function callGateway(
  url: string,
  contract: AnyContract,
  args: unknown,
  waitSeconds?: number,
): Promise<Result> {
  const response = await reach(`${url}/tools/${contract.wireName}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(waitSeconds === undefined ? {} : { prefer: `wait=${waitSeconds}` }),
      ...(await bearerFor(url)),
    },
    body: JSON.stringify(args),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return { kind: 'ok', output: body };
  const failure = failureShape.safeParse(body);
  if (!failure.success) {
    throw new CliError(
      `${url} answered ${response.status}, but not as a Bowline gateway does.`,
      'Check that BOWLINE_URL is the address of your gateway, without /mcp at its end.',
    );
  }
  const { retry_after, call_id, replayed, ...rest } = failure.data;
  return {
    kind: 'failed',
    failure: {
      ...rest,
      ...(retry_after === undefined ? {} : { retry_after }),
      ...(call_id === undefined ? {} : { call_id }),
      ...(replayed ? { replayed } : {}),
    },
  };
}

/** Says that something else answers there. */
export function notUnderstood(url: string): CliError {
  return new CliError(
    `${url} does not answer as a Bowline gateway does.`,
    'Check the address. It is the gateway’s own, without /mcp at its end.',
  );
}

/** Fetches. Throws a sentence for the person if nobody answers. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CliError(
      `${new URL(url).origin} cannot be reached (${cause}).`,
      'Is the gateway running? `bowline up` starts one here.',
    );
  }
}

/** Gives the header that identifies this computer at a gateway: `BOWLINE_TOKEN`, or what `bowline login` stored. */
export async function bearerFor(url: string): Promise<Record<string, string>> {
  const saved = credentialFor(url);
  const token =
    process.env.BOWLINE_TOKEN ||
    (saved?.kind === 'token' ? saved.token : saved && (await freshAccessToken(url, saved)));
  return token ? { authorization: `Bearer ${token}` } : {};
}
