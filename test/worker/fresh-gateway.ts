import { beforeAll } from 'vitest';
import { emptyStorage } from './empty-storage.ts';

// Test files share one runtime and what they import. So each begins with empty storage and a gateway that remembers nothing.
beforeAll(async () => {
  const [{ forget, settled }, { replaceNetwork }] = await Promise.all([
    import('./gateway-main.ts'),
    import('./network.ts'),
  ]);
  await settled();
  await emptyStorage();
  replaceNetwork();
  forget();
});

interface Transport {
  invoke(...asked: unknown[]): unknown;
}

declare global {
  var __vitest_mocker__: { readonly moduleRunner: { readonly transport?: Transport } };
  var fetchesModules: Transport['invoke'] | undefined;
}

// For each test file the plug-in wraps once more what fetches modules, so that each file would fetch them slower than
// the one before. The first wrapping is enough. Plug-ins from 1.4.5 on know that by themselves.
const { transport } = globalThis.__vitest_mocker__.moduleRunner;
if (transport) {
  globalThis.fetchesModules ??= transport.invoke;
  transport.invoke = globalThis.fetchesModules;
}
