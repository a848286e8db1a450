import { browserPath } from '../support/browser-path.ts';

/** Unpacks the browser before any test. Of two that unpack it at a time, one would start what is only half written. */
export async function setup(): Promise<void> {
  await browserPath();
}
