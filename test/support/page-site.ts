import type { Output } from '../../contracts/contract.ts';
import { webFetch } from '../../contracts/web-fetch.ts';
import type { Result } from '../../src/core/call.ts';
import type { Failure } from '../../src/core/failure.ts';
import { fetchPage } from '../../src/tools/web.ts';
import { makeWebPorts, type WebPorts } from '../../src/web/web-ports.ts';
import { failureIn } from './tools.ts';
import { type WebServer, webServer } from './web-server.ts';
import { use } from './web-tools.ts';

export interface Served {
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export interface PageSite {
  readonly origin: string;
  readonly ports: WebPorts;
  readonly close: WebServer['close'];
  /** Puts these pages in place of those there were. */
  serve(pages: Record<string, Served>): void;
  /** Serves one page and reads it through the tool. */
  read(served: Served, input?: Record<string, unknown>): Promise<Result>;
  /** The same for a page that has to be readable. */
  text(served: Served): Promise<Output<typeof webFetch>>;
  /** The same for one that has not. */
  failure(served: Served): Promise<Failure>;
}

/** A site of whatever pages a test gives it, on a real socket, and the tool that reads them. */
export async function pageSite(): Promise<PageSite> {
  let pages: Record<string, Served> = {};
  const server = await webServer((request, response) => {
    const { type, status = 200, headers = {}, body = '' } = pages[request.url ?? ''] ?? { status: 404 };
    response.writeHead(status, { ...(type ? { 'content-type': type } : {}), ...headers }).end(body);
  });
  const ports = makeWebPorts({ DEV_FETCH_ORIGINS: server.origin }, { guarded: fetch, open: fetch });
  const read = (served: Served, input = {}) => {
    pages = { '/page': served };
    return use(webFetch, fetchPage, { url: `${server.origin}/page`, ...input }, ports);
  };
  return {
    origin: server.origin,
    ports,
    close: server.close,
    serve: (given) => {
      pages = given;
    },
    read,
    text: async (served) => {
      const result = await read(served);
      if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
      return result.output as Output<typeof webFetch>;
    },
    failure: async (served) => failureIn(await read(served)),
  };
}

export const sentence = 'A bowline is a knot that makes a loop which neither slips nor jams under load. ';

/** A page with an article on it. */
export function article(text = sentence.repeat(12), head = ''): string {
  return `<!doctype html><html lang="en"><head><title>Knots</title>${head}</head><body><article><h1>Knots</h1><p>${text}</p></article></body></html>`;
}

export function html(body: string | Uint8Array, more: Partial<Served> = {}): Served {
  return { type: 'text/html', body, ...more };
}
