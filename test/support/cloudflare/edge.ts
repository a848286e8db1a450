import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import type { Binding, StandInAccount, Version } from './account.ts';

/** Runs the version that is deployed in workerd, exactly as it was uploaded, with the data that the account keeps. */
export interface StandInEdge {
  /** As `fetch`, for addresses of the account's Workers. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** `address` is where the Worker is reached: requests arrive there, whatever connection they came over. */
export function standInEdge(account: StandInAccount, name: string, address: string): StandInEdge {
  const data = mkdtempSync(join(tmpdir(), 'bowline-edge-'));
  let runs: { readonly version: Version; readonly workerd: Miniflare } | undefined;
  const start = async (version: Version): Promise<Miniflare> => {
    await runs?.workerd.dispose();
    const workerd = new Miniflare({
      ...optionsOf(version, name),
      ...{ upstream: address, resourcePersistencePath: data },
    });
    runs = { version, workerd };
    return workerd;
  };
  return {
    fetch: async (url, init = {}) => {
      const version = account.running(name);
      const workerd = runs?.version === version ? runs.workerd : await start(version);
      const request = new Request(url, init);
      const answer = await workerd.dispatchFetch(url, {
        method: request.method,
        headers: {
          ...Object.fromEntries(request.headers),
          'cf-connecting-ip': '203.0.113.7',
        },
        redirect: 'manual',
        ...(request.body ? { body: await request.arrayBuffer() } : {}),
      });
      const body = [101, 204, 304].includes(answer.status) ? null : await answer.arrayBuffer();
      return new Response(body, { status: answer.status, headers: Array.from(answer.headers) });
    },
    close: async () => {
      await runs?.workerd.dispose();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function optionsOf({ metadata, parts, bindings }: Version, name: string) {
  const of = (type: string, field: string) =>
    Object.fromEntries(
      bindings.filter((one) => one.type === type).map((one: Binding) => [one.name, String(one[field])]),
    );
  const modules = parts.filter(({ type }) => type === 'application/javascript+module');
  const first = (part: { name: string }) => Number(part.name !== metadata.main_module);
  return convertV4MiniflareOptions({
    name,
    modules: modules
      .toSorted((a, b) => first(a) - first(b))
      .map((part) => ({ type: 'ESModule' as const, path: `/${part.name}`, contents: part.text })),
    modulesRoot: '/',
    compatibilityDate: metadata.compatibility_date,
    compatibilityFlags: [...metadata.compatibility_flags],
    bindings: { ...of('plain_text', 'text'), ...of('secret_text', 'text') },
    kvNamespaces: of('kv_namespace', 'namespace_id'),
    r2Buckets: of('r2_bucket', 'bucket_name'),
    durableObjects: Object.fromEntries(
      Object.entries(of('durable_object_namespace', 'class_name')).map(([binding, className]) => [
        binding,
        { className, useSQLite: true },
      ]),
    ),
  });
}
