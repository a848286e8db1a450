/** The ways to call a gateway's tools. */
export const TRANSPORT = 'mcp (http), http';

/** Says where a gateway's tool is called, by its wire name. */
export function endpointOf(name: string): string {
  return `/mcp, /tools/${name}`;
}
