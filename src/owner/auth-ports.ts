import type { OAuthAuthorizationServer, OAuthHelpers } from '@cloudflare/workers-oauth-provider';
import type { AddressOf } from './address.ts';
import type { OAuthEnv } from './oauth-server.ts';
import type { OwnerStub } from './owner-stub.ts';

/** The dependencies of signing in and granting. */
export interface AuthPorts {
  /** The gateway's own origin: issuer, cookie host and relying party of passkeys. */
  readonly origin: string;
  readonly env: OAuthEnv;
  readonly ownerKeyHash: string | undefined;
  readonly server: OAuthAuthorizationServer<OAuthEnv>;
  readonly oauth: OAuthHelpers;
  readonly addressOf: AddressOf;
  owner(): OwnerStub;
  /** Closes a machine's sockets for good. Its key opens nothing afterwards. */
  shutOutMachine(id: string): Promise<void>;
  /** Ends one loan of a terminal, those to a caller or on a machine that was shut out, or all. Gives how many. */
  endLoans(which: {
    readonly id?: string;
    readonly principal?: string;
    readonly machineId?: string;
  }): Promise<number>;
  /** Makes this isolate forget the tokens that it believes in. */
  forgetTokens(): void;
}
