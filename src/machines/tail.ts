import { runInTerminal } from '../../contracts/terminal.ts';

/** The most characters kept of what a running call said. */
export const TAIL_CHARS = 8_192;

/** The end of what a call said while it runs: a command's last lines, or the last sentence of another tool. */
export class Tail {
  readonly #adds: boolean;
  #said = '';

  constructor(tool: string) {
    // A command tells the lines that are new. Other tools tell anew how they stand.
    this.#adds = tool === runInTerminal.wireName;
  }

  get said(): string {
    return this.#said;
  }

  take(message: string) {
    this.#said = ending(this.#adds ? this.#said + message : message);
  }
}

/** Gives the end of a text, from the beginning of a line if there is one. */
function ending(text: string): string {
  if (text.length <= TAIL_CHARS) return text;
  const end = text.slice(-TAIL_CHARS);
  const line = end.indexOf('\n') + 1;
  return (line === end.length ? end : end.slice(line)).toWellFormed();
}
