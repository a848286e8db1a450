import type { TokenScope } from '../../contracts/contract.ts';

/** The meaning of each scope, as the owner reads it. */
export const SCOPE_MEANING: Readonly<Record<TokenScope, string>> = {
  read: 'Read your repo, your memory and the web',
  write: 'Add to your memory (each entry needs your approval, unless a rule of yours allows it)',
  machine: 'Use your machines: files, terminal, models (whatever changes something needs your approval)',
  push: 'Push the mirror of your repo, which every model reads (for a script that mirrors)',
};
