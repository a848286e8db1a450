import { addresses } from './addresses.ts';
import { always } from './always.ts';
import { apps } from './apps.ts';
import { backups } from './backups.ts';
import { bodies } from './bodies.ts';
import { cards } from './cards.ts';
import { consoleAndCommands } from './console.ts';
import type { Control } from './control.ts';
import { door } from './door.ts';
import { edits } from './edits.ts';
import { files } from './files.ts';
import { gate } from './gate.ts';
import { git } from './git.ts';
import { hooks } from './hooks.ts';
import { joined } from './joined.ts';
import { lasting } from './lasting.ts';
import { leaving } from './leaving.ts';
import { ledger } from './ledger.ts';
import { link } from './link.ts';
import { loans } from './loans.ts';
import { local } from './local.ts';
import { machines } from './machines.ts';
import { memory } from './memory.ts';
import { mirror } from './mirror.ts';
import { notedReads } from './noted-reads.ts';
import { oneTime } from './one-time.ts';
import { owner } from './owner.ts';
import { parsers } from './parsers.ts';
import { pdf } from './pdf.ts';
import { places } from './places.ts';
import { prompts } from './prompts.ts';
import { pushes } from './pushes.ts';
import { rates } from './rates.ts';
import { reading } from './reading.ts';
import { repeats } from './repeats.ts';
import { rules } from './rules.ts';
import { search } from './search.ts';
import { secrets } from './secrets.ts';
import { seen } from './seen.ts';
import { signIn } from './sign-in.ts';
import { streams } from './streams.ts';
import { terminal } from './terminal.ts';
import { undo } from './undo.ts';
import { web } from './web.ts';

/** Every control of docs/security.md, in the order of that page. */
export const controls: readonly Control[] = [
  ...door,
  ...bodies,
  ...streams,
  ...owner,
  ...oneTime,
  ...signIn,
  ...apps,
  ...gate,
  ...leaving,
  ...cards,
  ...rates,
  ...notedReads,
  ...secrets,
  ...repeats,
  ...ledger,
  ...rules,
  ...always,
  ...places,
  ...memory,
  ...backups,
  ...mirror,
  ...pushes,
  ...hooks,
  ...addresses,
  ...parsers,
  ...pdf,
  ...web,
  ...reading,
  ...files,
  ...undo,
  ...edits,
  ...search,
  ...terminal,
  ...lasting,
  ...loans,
  ...git,
  ...seen,
  ...machines,
  ...prompts,
  ...local,
  ...link,
  ...joined,
  ...consoleAndCommands,
];
