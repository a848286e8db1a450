export const P = 'io.modelcontextprotocol/';

/** What a call has beside what every call has. */
export interface Sent {
  readonly body?: Record<string, unknown>;
  readonly params?: Record<string, unknown>;
  readonly meta?: Record<string, unknown> | null;
  readonly headers?: Record<string, string>;
}

export const able = (can: unknown): Sent => ({ meta: { [`${P}clientCapabilities`]: can } });
export const clientSaying = (more: object): Sent => ({
  meta: { [`${P}clientInfo`]: { name: 'a', version: '1', ...more } },
});

/** What clients send with a call beside its tool and arguments. docs/performance.md names them. */
export const clients: Record<'2025' | '2026', Record<string, Sent>> = {
  '2025': {
    'of the v1 SDK': { headers: { 'mcp-protocol-version': '2025-11-25' } },
    'of the v1 SDK, shown progress': { meta: { progressToken: 3 } },
    'that names a call for itself': { meta: { 'example.org/call': 'toolu_01', progressToken: 'p-1' } },
    'of an older version': { headers: { 'mcp-protocol-version': '2024-11-05' } },
  },
  '2026': {
    'of the v2 SDK': {},
    'of the v2 SDK, shown progress': { meta: { progressToken: 0 } },
    'that opens pages and fills in forms': able({ elicitation: { url: {}, form: { applyDefaults: true } } }),
    'that asks, shown progress': { meta: { ...able({ elicitation: {} }).meta, progressToken: 'p' } },
    'that lends its model and its folders': able({ sampling: { tools: {} }, roots: { listChanged: true } }),
    'with extensions and abilities nobody knows': able({
      extensions: { 'io.example/ui': { mimeTypes: ['text/html'] } },
      experimental: { x: {} },
      later: true,
    }),
    'that wants log lines': { meta: { [`${P}logLevel`]: 'info' } },
    'with a face': clientSaying({
      title: 'A',
      icons: [{ src: 'https://a/b.png', sizes: ['48x48'] }],
      more: 1,
    }),
    'without a name': { meta: { [`${P}clientInfo`]: undefined } },
  },
};
