import { lookAt } from '../../src/core/invoke.ts';
import { SOON_MS } from './soon.ts';

/** Asks for a preview as the product does, but for as long as a busy machine may take. */
export const look: typeof lookAt = (contract, prepared, ports, previewer, withinMs = SOON_MS) =>
  lookAt(contract, prepared, ports, previewer, withinMs);
