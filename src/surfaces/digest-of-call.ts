import type { AnyContract } from '../../contracts/contract.ts';
import { callDigest } from '../core/call-digest.ts';
import { schemaHash } from './describe.ts';

/** The digest of a tool's parsed input, the same wherever it is computed. */
export function digestOfCall(contract: AnyContract, input: unknown): string {
  const params = isRecord(input) ? input : {};
  const textOf = (key: string) => {
    const value = params[key];
    return typeof value === 'string' ? value : null;
  };
  return callDigest({
    tool: contract.wireName,
    schemaHash: schemaHash(contract),
    machine: textOf('machine'),
    root: textOf('root'),
    params,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
