import type { MoreEntries, NewPush, PushAnswer } from '../../../src/core/mirror-push.ts';
import { type MirrorStatus, mirrorStatus, pushAnswer } from '../../../src/core/mirror-push.ts';
import { CliError } from '../../lib/exit.ts';
import { failureShape, reach } from '../../lib/gateway-client.ts';

/** A push that may succeed later: the gateway is away or busy. */
export class GatewayAway extends CliError {
  override name = 'GatewayAway';
}

/** A gateway, as a push speaks to it. */
export interface MirrorGateway {
  status(): Promise<MirrorStatus>;
  open(push: NewPush): Promise<PushAnswer>;
  more(id: string, entries: MoreEntries): Promise<PushAnswer>;
  blobs(id: string, blobs: readonly { readonly sha: string; readonly bytes: Buffer }[]): Promise<PushAnswer>;
}

/** Gives the headers that identify the pusher. */
export type BearerHeaders = () => Promise<Record<string, string>>;

export function mirrorGateway(url: string, bearer: BearerHeaders, signal?: AbortSignal): MirrorGateway {
  const send = async (
    method: string,
    path: string,
    type?: string,
    body?: string | Uint8Array<ArrayBuffer>,
  ) => {
    let response: Response;
    try {
      response = await reach(`${url}/api/mirror${path}`, {
        method,
        headers: { ...(type ? { 'content-type': type } : {}), ...(await bearer()) },
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (error instanceof CliError) throw new GatewayAway(error.message, error.suggestion);
      throw error;
    }
    return { status: response.status, body: await jsonOf(response) };
  };
  const answered = ({ status, body }: { status: number; body: unknown }): PushAnswer => {
    const answer = pushAnswer.safeParse(body);
    if (answer.success) return answer.data;
    throw refusal(url, status, body);
  };
  const json = (path: string, body: object) =>
    send('POST', path, 'application/json', JSON.stringify(body)).then(answered);
  return {
    status: async () => {
      const { status, body } = await send('GET', '');
      const said = mirrorStatus.safeParse(body);
      if (said.success) return said.data;
      throw refusal(url, status, body);
    },
    open: (push) => json('/pushes', push),
    more: (id, entries) => json(`/pushes/${id}/files`, entries),
    blobs: async (id, blobs) => {
      const head = JSON.stringify({ blobs: blobs.map(({ sha, bytes }) => ({ sha, size: bytes.length })) });
      const body = Buffer.concat([Buffer.from(`${head}\n`), ...blobs.map(({ bytes }) => bytes)]);
      return answered(await send('POST', `/pushes/${id}/blobs`, 'application/octet-stream', body));
    },
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function refusal(url: string, status: number, body: unknown): CliError {
  const failure = failureShape.safeParse(body);
  const message = failure.success
    ? failure.data.message
    : `${url} answered ${status}, but not as a Bowline gateway does.`;
  const suggestion = failure.success
    ? failure.data.suggestion
    : 'Check that BOWLINE_URL is the address of your gateway, without /mcp at its end.';
  return status >= 500 || status === 429
    ? new GatewayAway(message, suggestion)
    : new CliError(message, suggestion);
}
