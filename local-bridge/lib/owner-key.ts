import { stdin, stdout } from 'node:process';
import { CliError, EXIT } from './exit.ts';
import { type OwnerSession, signInAsOwner } from './owner-client.ts';

/**
 * Does something as the owner, in a session that ends with it. The key comes from `BOWLINE_OWNER_KEY`, or the person
 * types it unseen in a real terminal. It is never stored.
 */
export async function asOwner<T>(url: string, act: (owner: OwnerSession) => Promise<T>): Promise<T> {
  const owner = await signInAsOwner(url, process.env.BOWLINE_OWNER_KEY || (await askForKey()));
  try {
    return await act(owner);
  } finally {
    await owner.signOut();
  }
}

/** Asks for the owner key unseen, in a real terminal. Refuses anywhere else. */
export async function askForKey(question = 'Owner key (it is not shown): '): Promise<string> {
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new CliError(
      'This needs the owner, and there is no terminal to ask in.',
      'Run it in a terminal, or put the owner key into BOWLINE_OWNER_KEY.',
      EXIT.approval,
    );
  }
  // Listen before asking: a key typed the moment the question appears must not be echoed either.
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
