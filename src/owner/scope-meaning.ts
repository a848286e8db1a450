import type { TokenScope } from '../../contracts/contract.ts';

/** What each scope lets its holder do, as the owner is told. */
export const SCOPE_MEANING: Readonly<Record<TokenScope, string>> = {
  read: 'Read your repo, your memory and the web',
  write: 'Add to your memory (each entry waits for your yes, unless a rule of yours allows it)',
  machine: 'Use your machines: files, terminal, models (whatever changes something waits for your yes)',
  push: 'Push the mirror of your repo, which every model reads (for `bowline mirror` in a script)',
};
