import { vi } from 'vitest';
import type * as sdk from '../../src/surfaces/mcp-handler.ts';

/** Called with every request that the protocol's SDK is asked to answer. */
export const bySdk = vi.fn();

/** The module that holds the SDK, with its requests counted. */
export function counted({ mcpHandler }: typeof sdk): typeof sdk {
  return {
    mcpHandler: (...made) => {
      const handler = mcpHandler(...made);
      return (...asked) => {
        bySdk();
        return handler(...asked);
      };
    },
  };
}
