import { stdin, stdout } from 'node:process';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { openInBrowser } from '../../lib/browser.ts';
import { handOver } from '../../lib/hand-over.ts';
import { signInAsOwner } from '../../lib/owner-client.ts';
import { complain, detail } from '../../lib/print.ts';

const codeShape = z.object({ code: z.string() });

/**
 * Signs the person at this terminal in to the console when they press Enter. The link is made at that moment, shown
 * here alone, and works once, within three minutes. Without a terminal it offers nothing, because what is printed
 * there ends up in a file. Gives a function that ends the offer.
 */
export function offerSignIn(url: string, ownerKey: string): () => void {
  if (!stdin.isTTY || !stdout.isTTY) return () => undefined;
  console.log('  Press Enter to open the console in your browser, signed in.');
  let isBusy = false;
  const onKey = () => {
    if (isBusy) return;
    isBusy = true;
    void signIn(url, ownerKey)
      .catch((error: unknown) => complain(`No sign-in: ${errorText(error)}`))
      .finally(() => {
        isBusy = false;
      });
  };
  stdin.on('data', onKey).resume();
  return () => void stdin.off('data', onKey).pause();
}

async function signIn(url: string, ownerKey: string): Promise<void> {
  const owner = await signInAsOwner(url, ownerKey);
  const { code } = codeShape.parse(await owner.call('POST', 'sign-in-codes'));
  await owner.signOut();
  const link = `${url}/signin#code=${code}`;
  detail('Sign in', `${link} (works once, within three minutes)`);
  await handOver(link, openInBrowser);
}
