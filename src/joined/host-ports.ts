import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Group, Risk } from '../../contracts/contract.ts';
import type { Door } from '../core/invoke.ts';
import type { Machines } from '../machines/reach.ts';
import type { Fetch } from '../web/guarded-fetch.ts';
import type { Conformity } from './conform.ts';
import type { JoinedRow, NewServer, ServerView } from './servers.ts';

/** The gate's records of joined servers. Written out, because RPC's types lose schemas on the way. */
export interface HostGate {
  servers(): Promise<ServerView[]>;
  server(name: string): Promise<ServerView | null>;
  joined(known: number): Promise<{ version: number; rows: JoinedRow[] | null; off: Group[] }>;
  addServer(server: NewServer): Promise<'added' | 'taken' | 'too_many'>;
  removeServer(name: string): Promise<boolean>;
  takeServerTools(name: string, conformity: Conformity): Promise<{ changed: string[]; isOther: boolean }>;
  serverProblem(name: string, problem: string): Promise<void>;
  gradeTool(asked: {
    server: string;
    tool: string;
    hash: string;
    grade: Risk | null;
  }): Promise<'graded' | 'not_found' | 'changed'>;
  acceptProposals(asked: {
    server: string;
    tools: readonly { name: string; hash: string }[];
  }): Promise<'graded' | 'not_found' | 'changed'>;
  serverSecret(name: string): Promise<string | null>;
  keepServerSecret(name: string, body: string | null): Promise<void>;
}

/** The dependencies of everything that joins other servers. */
export interface HostPorts {
  /** The gateway's own origin. */
  readonly origin: string;
  gate(): HostGate;
  /** Reaches public addresses alone, and those that a developer opened. */
  readonly fetch: Fetch;
  readonly machines: Machines;
  readonly door: Door;
  readonly events: Pick<ServerEventBus, 'publish'>;
  report(error: unknown, where: string): void;
}
