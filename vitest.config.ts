import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { browserTextInTests } from './scripts/browser-text.ts';
import { keepBuilds } from './test/support/kept-builds.ts';
import { TEST_OWNER_KEY_HASH } from './test/support/owner-key.ts';
import { SecondTries } from './test/support/second-tries.ts';
import { SlowFiles } from './test/support/slow-files.ts';

keepBuilds(process.env);

/**
 * What tests in Node begin with. Programs that they start count their lines, if lines are counted at all, and requests
 * use no connection that may be gone.
 */
const inNode = ['test/support/coverage-of-programs.ts', 'test/support/short-connections.ts'];

/** What tests begin with whose files share one global scope. */
const inOneScope = ['test/support/real-timers.ts'];

/** Packages of many modules that the Worker's tests load. Bundled once, they come in one piece into each test file's runtime. */
const BUNDLED = [
  '@simplewebauthn/server',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/server/validators/cf-worker',
  '@cloudflare/workers-oauth-provider',
  '@block65/webcrypto-web-push',
  'hono',
  'hono/jsx',
  'hono/jsx/jsx-runtime',
  'hono/jsx/jsx-dev-runtime',
  'hono/route',
  'htmlparser2',
  'modern-tar',
  're2js',
  'zod',
];

/** Lets Vitest read migrations when it looks for the tests of what changed. They are no code, and it ended there. */
const migrationsAsText: Plugin = {
  name: 'migrations-as-text',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('.sql') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))};` : undefined,
};

export default defineConfig({
  test: {
    // Vitest leaves one core idle by itself: on two cores that is half of them, and most tests wait for a process.
    maxWorkers: availableParallelism(),
    reporters: ['default', new SlowFiles(), new SecondTries()],
    // Asked for by `--coverage`; see docs/coverage.md.
    coverage: {
      provider: 'istanbul',
      include: ['src/**/*.{ts,tsx}', 'contracts/**/*.ts', 'local-bridge/**/*.{ts,mjs}'],
      exclude: ['**/*.d.ts', '**/*.browser.ts'],
      reporter: ['json'],
      reportsDirectory: 'coverage/vitest',
    },
    projects: [
      {
        // Pure code and whatever needs Node: processes, sockets, files.
        plugins: [browserTextInTests()],
        test: {
          name: 'node',
          // Files share what they import, which takes most of their time otherwise. So no test here may leave anything
          // behind in a module; `--sequence.shuffle.files` shows whether one does.
          isolate: false,
          // One more than there are cores, since many tests wait for programs. Vitest wants other numbers in groups of
          // their own, one after the other.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
          include: ['test/node/**/*.test.ts'],
          setupFiles: [...inOneScope, ...inNode],
          // Long enough for a busy machine: no test is there to measure time.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The gateway inside the real runtime.
        plugins: [
          browserTextInTests(),
          migrationsAsText,
          cloudflareTest({
            // The sources, with little around them: what wrangler.toml names is built from them.
            main: './test/worker/gateway-main.ts',
            wrangler: { configPath: './wrangler.toml' },
            // The hash is of a key that the tests know.
            miniflare: {
              bindings: {
                PUBLIC_URL: 'http://localhost',
                OWNER_KEY_HASH: TEST_OWNER_KEY_HASH,
                // The tests stand where Cloudflare's edge does.
                CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
                FETCHES_STAY_PUBLIC: 'yes',
              },
            },
          }),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          // Files share a runtime and what they import, which takes most of their time otherwise. What the set-up does
          // not reset between them, no test may leave behind; `--sequence.shuffle.files` shows whether one does.
          isolate: false,
          setupFiles: [...inOneScope, 'test/worker/fresh-gateway.ts'],
          // It has parts that only a bundler puts together.
          deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
          // Long enough for a busy machine: no test is there to measure time.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The same cases over every way in, against servers that the set-up starts.
        test: {
          name: 'suite',
          include: ['test/suite/**/*.test.ts'],
          globalSetup: ['test/suite/servers.ts'],
          // All files use the same folder of the same servers, and a command tells which files changed meanwhile.
          fileParallelism: false,
          setupFiles: inNode,
          // What the set-up started counts by itself; Vitest's own processes have nothing to add.
          env: { NODE_V8_COVERAGE: '' },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The product as its users start it.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/beforehand.ts'],
          setupFiles: inNode,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Tests wait for programs most of the time, and each starts several. The group is one that no other project is in,
          // because Vitest refuses a group whose projects have different numbers of workers.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The owner's pages, through a real browser.
        plugins: [browserTextInTests()],
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/product.ts'],
          setupFiles: ['test/support/short-connections.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
