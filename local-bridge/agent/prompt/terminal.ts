import { stdin, stdout } from 'node:process';
import type { WriteStream } from 'node:tty';
import { screenOf } from '../../lib/print.ts';
import { makePrompt, type Prompt } from './questions.ts';

export interface TerminalPrompt {
  readonly prompt: Prompt;
  /** Restores the terminal as it was. */
  close(): void;
}

/** Reads the terminal key by key, so that nothing typed before a question can answer it. */
export function openTerminalPrompt(output: WriteStream = stdout): TerminalPrompt {
  const prompt = makePrompt({
    write: (text) => void output.write(text),
    now: () => performance.now(),
    screen: () => screenOf(output),
  });
  const onData = (text: string) => {
    // In raw mode the terminal sends no signal for Ctrl-C.
    if (text.includes(CTRL_C)) return void process.kill(process.pid, 'SIGINT');
    prompt.type(text).catch((error: unknown) => console.error(error));
  };
  const close = () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').resume();
  stdin.on('data', onData);
  // However this process ends, it must leave the shell a terminal that echoes.
  process.once('exit', close);
  return {
    prompt,
    close() {
      process.off('exit', close);
      close();
    },
  };
}

const CTRL_C = '\u0003';
