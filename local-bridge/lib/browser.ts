import { spawn } from 'node:child_process';
import { visible } from '../../src/core/visible.ts';
import { CliError } from './exit.ts';
import { isLoopback } from './loopback.ts';

/** The program and arguments for the system. No shell reads them. */
interface Opener {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Gives the one spelling of an address that may be opened, or `undefined` for any other. Only a web page opens in a
 * browser: for `file:`, `smb:`, `ms-msdt:` and others the system runs a program. Plain http is for this computer
 * alone. A user name is refused because it makes one host look like another.
 */
export function openable(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isWeb = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isWeb || url.username || url.password) return undefined;
  // Openers can be scripts, so leave nothing that one could read as a space, a quote or an expansion.
  return url.href.replace(/[^A-Za-z0-9\-._~:/?#[\]@!&()*+,;=%]/gu, encodeURIComponent).replaceAll("'", '%27');
}

/**
 * Gives the system's way to open a page. `page` has passed `openable`, so it begins with `http` and is not an option.
 */
export function openerOf(platform: NodeJS.Platform, page: string): Opener {
  switch (platform) {
    case 'darwin':
      return { program: 'open', args: [page] };
    case 'win32':
      // Not `start`: that is a word of `cmd`, which reads `&` and `%` in an address as its own.
      return { program: 'rundll32', args: ['url.dll,FileProtocolHandler', page] };
    default:
      return { program: 'xdg-open', args: [page] };
  }
}

/**
 * Gives the spelling of an address that somebody else names. Throws for one that may not be opened, so that it is not
 * shown as a link either.
 */
export function pageToOpen(address: string, whose: string): string {
  const page = openable(address);
  if (page !== undefined) return page;
  throw new CliError(
    `${whose} is ${visible(address, 200)}, which may not be opened.`,
    'Only https addresses may, and http addresses on this computer, both without a user name in them.',
  );
}

/** Asks the system to open a page. Nobody learns whether it could, so the address is printed too. */
export function openInBrowser(address: string): void {
  const { program, args } = openerOf(process.platform, pageToOpen(address, 'The address'));
  const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false });
  // This computer has no opener; the person uses the printed address.
  child.once('error', () => undefined);
  child.unref();
}
