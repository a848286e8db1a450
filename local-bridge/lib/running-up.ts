import { join } from 'node:path';
import { bowlineHome } from './home.ts';
import { holderOf } from './lock.ts';

/** The folder in which `bowline up` keeps everything, if it is given no other. */
export function usualState(): string {
  return join(bowlineHome(), 'gateway');
}

/** The lock of a state folder. It names the address of the gateway that runs with it. */
export function upLock(state: string): string {
  return join(state, 'up.lock');
}

/** Says how to reach a gateway from here: by signing in to the one that runs on this computer, if one does. */
export function howToSignIn(): string {
  const url = holderOf(upLock(usualState()))?.url;
  return typeof url === 'string'
    ? `\`bowline up\` runs on this computer: sign in with \`bowline login ${url}\`.`
    : 'Start one here with `bowline up`, or sign in with `bowline login <url>`.';
}
