import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { replaceNetwork } from '../network.ts';

/**
 * Puts a web of the test's own beneath everything that guards the gateway's fetches. To be called at the top of a test
 * file. `reached` lists what was connected to; `web` holds what is there, by its address, and is empty before each test.
 */
export function watchedWeb() {
  const reached: string[] = [];
  const web: Record<string, () => Response> = {};
  beforeAll(() => {
    replaceNetwork(async (input, init) => {
      const { url } = new Request(input, init);
      reached.push(url);
      return web[url]?.() ?? new Response('nothing here', { status: 404 });
    });
  });
  beforeEach(() => {
    reached.length = 0;
    for (const url of Object.keys(web)) delete web[url];
    // The library says on the console what it could not fetch.
    vi.spyOn(console, 'warn').mockReturnValue();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return { reached, web };
}
