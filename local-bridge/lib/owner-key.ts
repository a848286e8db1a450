import { stderr, stdin, stdout } from 'node:process';
import { CliError, EXIT } from './exit.ts';
import { continueAsOwner, type OwnerSession, openSession, signInAsOwner } from './owner-client.ts';
import {
  forgetOwnerSession,
  type HeldSession,
  keepOwnerSession,
  keptOwnerSession,
} from './owner-session-file.ts';
import { isRealTerminal } from './real-terminal.ts';

/**
 * Acts as the owner: in the session that `bowline login` kept, or in one that ends with this. The key comes from
 * `BOWLINE_OWNER_KEY`, or the person types it unseen in a real terminal. It is never stored.
 */
export async function asOwner<T>(url: string, act: (owner: OwnerSession) => Promise<T>): Promise<T> {
  const key = process.env.BOWLINE_OWNER_KEY;
  // A program that a model started has no terminal, and could not read the file either.
  const kept = !key && (isRealTerminal() || isRealTerminal(stderr)) ? keptOwnerSession(url) : undefined;
  if (kept) return actInKept(url, kept, act);
  const owner = await signInAsOwner(url, key || (await askForKey()));
  try {
    return await act(owner);
  } finally {
    await owner.signOut();
  }
}

async function actInKept<T>(
  url: string,
  { held, until }: { held: HeldSession; until: number },
  act: (owner: OwnerSession) => Promise<T>,
): Promise<T> {
  const owner = continueAsOwner(url, held, async () => {
    forgetOwnerSession();
    stderr.write('Please show again that it is you.\n');
    const renewed = await openSession(url, await askForKey());
    keepOwnerSession(url, renewed, until);
    return renewed;
  });
  try {
    return await act(owner);
  } finally {
    await owner.signOut('keep');
  }
}

/** Asks for the owner key unseen, in a real terminal. Refuses anywhere else. */
export async function askForKey(question = 'Owner key (it is not shown): '): Promise<string> {
  if (!isRealTerminal()) {
    throw new CliError(
      'This needs the owner, and there is no terminal to ask in.',
      'Run it in a terminal, or set BOWLINE_OWNER_KEY to the owner key.',
      EXIT.approval,
    );
  }
  // Turn the echo off before asking, so that a key typed at once is not shown either.
  const typed = readUnseen();
  stdout.write(question);
  const key = await typed;
  stdout.write('\n');
  return key;
}

/** Reads a line with the terminal's echo off. */
function readUnseen(): Promise<string> {
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').resume();
  let typed = '';
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off('data', onData);
      finish();
    };
    const onData = (text: string) => {
      for (const char of text) {
        if (char === '\r' || char === '\n') return end(() => resolve(typed));
        if (char === CTRL_C || char === CTRL_D)
          return end(() => reject(new CliError('Nothing was entered.')));
        typed = char === BACKSPACE || char === DELETE ? typed.slice(0, -1) : typed + char;
      }
    };
    stdin.on('data', onData);
  });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACE = '\b';
const DELETE = '\u007f';
