import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../core/call.ts';

/** Resources, as something that answers their methods on a server. */
export interface Resources {
  install(server: Server, caller: Caller): void;
}

/** Prompts, likewise. */
export interface Prompts {
  install(server: Server, callerFor: (ctx: ServerContext) => Caller): void;
}
