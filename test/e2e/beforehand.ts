import { browserPath } from '../support/browser-path.ts';
import { buildShared } from '../support/shared-build.ts';

/**
 * Unpacks the browser and builds the Worker before any test. Of two that unpack it at a time, one would start what is
 * only half written.
 */
export async function setup(): Promise<void> {
  await Promise.all([browserPath(), buildShared()]);
}
