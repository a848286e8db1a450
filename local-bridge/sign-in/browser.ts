import { spawn } from 'node:child_process';

/** Asks the system to open an address. Whether it could is not known: the address is printed too. */
export function openInBrowser(url: string): void {
  const [program, args] = OPENERS[process.platform] ?? ['xdg-open', []];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // No opener on this computer: the printed address is the way.
  child.once('error', () => undefined);
  child.unref();
}

const OPENERS: Readonly<Record<string, readonly [program: string, args: readonly string[]]>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
};
