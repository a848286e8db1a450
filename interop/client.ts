import type { Key } from './catalogue.ts';

/** Where a client finds the product, and what is its own while it is tried. */
export interface Endpoint {
  readonly mcp: string;
  readonly token: string;
  /** An empty folder, in place of the user's home. */
  readonly folder: string;
  /** The folder that is open to tools. */
  readonly root: string;
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** How a call ended, as far as the client tells. */
export interface Answer {
  readonly isError?: boolean | undefined;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** A client as the walk uses it; what is missing, the client does not have. */
export interface Client {
  protocol?(): Promise<string | undefined>;
  serverName?(): string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  call(tool: string, args: Record<string, unknown>, options?: { signal: AbortSignal }): Promise<Answer>;
  /** Whether `call` heeds its signal. */
  readonly cancels?: true;
  /** What it was asked on its person's behalf, if it can be asked. */
  readonly asked?: string[];
  listResources?(): Promise<readonly { readonly uri: string }[]>;
  readResource?(uri: string): Promise<string | undefined>;
  listPrompts?(): Promise<readonly { readonly name: string }[]>;
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Makes a client and connects it. */
export type Connect = (endpoint: Endpoint) => Promise<Client>;

/** What a client's own process is told, once. */
export interface Task {
  readonly key: Key;
  readonly endpoint: Endpoint;
  readonly gateway: { readonly url: string; readonly ownerKey: string };
  /** What the product says it offers. */
  readonly offered: readonly ListedTool[];
}
