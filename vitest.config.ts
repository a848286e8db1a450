import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { TEST_OWNER_KEY_HASH } from './test/support/owner-key.ts';

export default defineConfig({
  test: {
    projects: [
      {
        // Pure code and whatever needs Node: processes, sockets, files.
        test: { name: 'node', include: ['test/node/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        // The gateway inside the real runtime.
        plugins: [
          cloudflareTest({
            // The sources themselves: what wrangler.toml names is built from them.
            main: './src/worker.ts',
            wrangler: { configPath: './wrangler.toml' },
            // The hash is of a key that the tests know.
            miniflare: { bindings: { PUBLIC_URL: 'http://localhost', OWNER_KEY_HASH: TEST_OWNER_KEY_HASH } },
          }),
        ],
        test: { name: 'worker', include: ['test/worker/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        // The same cases over every way in, against servers that the set-up starts.
        test: {
          name: 'suite',
          include: ['test/suite/**/*.test.ts'],
          globalSetup: ['test/suite/servers.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        // The product as its users start it.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // The owner's pages, through a real browser.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/product.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
