import { errorText } from '../../../src/core/error-text.ts';
/** An answer at the terminal, in the words of the gate. */
export type Answer = 'approve' | 'deny' | 'always';

/** Something that waits for a person at this terminal. */
export interface Question {
  readonly id: string;
  /** Ends in the words that ask. */
  readonly text: string;
  /** Shown for `?`. */
  readonly full: string;
  readonly about: string;
  readonly answers: readonly Answer[];
  /** Carries an answer out, and says in a line what came of it. */
  decide(answer: Answer): Promise<string>;
}

interface PromptPorts {
  write(text: string): void;
  /** Milliseconds, for telling what was typed before a question was on the screen. */
  now(): number;
}

/** Nobody reads a question in less: what arrives sooner was meant for something else. */
export const SETTLE_MS = 400;

const MEANT: Readonly<Record<string, Answer>> = {
  y: 'approve',
  yes: 'approve',
  n: 'deny',
  no: 'deny',
  always: 'always',
};

/** One question at a time on one terminal; what is decided elsewhere is taken away again. */
export function makePrompt({ write, now }: PromptPorts) {
  const waiting: Question[] = [];
  let current: Question | undefined;
  let typed = '';
  let shownAt = 0;
  let deciding = false;

  const show = () => {
    // Whatever was typed so far answered another question, or none.
    typed = '';
    shownAt = now();
    if (current) write(`\n${current.about}\n${current.text} `);
  };
  const next = () => {
    current = waiting.shift();
    show();
  };

  const enter = async () => {
    const asked = current;
    if (!asked) return;
    const word = typed.trim().toLowerCase();
    typed = '';
    write('\n');
    if (word === '?') {
      write(`${asked.full} `);
      return;
    }
    const answer = Object.hasOwn(MEANT, word) ? MEANT[word] : undefined;
    if (!answer || !asked.answers.includes(answer)) {
      const words = asked.answers.includes('always') ? 'y, n or always' : 'y or n';
      write(`Answer ${words}; ? shows every argument whole. `);
      return;
    }
    deciding = true;
    try {
      write(`${await asked.decide(answer)}\n`);
    } catch (error) {
      write(`✗ ${errorText(error)}\n`);
    }
    deciding = false;
    next();
  };

  return {
    put(question: Question): void {
      waiting.push(question);
      if (!current) next();
    },
    /** Takes a question back; while its answer is on its way, that answer stands. */
    withdraw(id: string, why: string): void {
      const at = waiting.findIndex((question) => question.id === id);
      if (at >= 0) waiting.splice(at, 1);
      if (current?.id !== id || deciding) return;
      write(`\n${why}\n`);
      next();
    },
    has: (id: string) => current?.id === id || waiting.some((question) => question.id === id),
    /** Lets a line of news through without mixing it into what is being typed. */
    say(line: string): void {
      if (current) {
        write(`\n${line}\n`);
        show();
      } else write(`${line}\n`);
    },
    /** What the keyboard sent. */
    async type(text: string): Promise<void> {
      for (const char of text) {
        if (!current || deciding || now() - shownAt < SETTLE_MS) continue;
        if (char === '\r' || char === '\n') await enter();
        else if (char === '\b' || char === '\u007f') {
          if (typed !== '') write('\b \b');
          typed = typed.slice(0, -1);
        } else if (/^[a-zA-Z?]$/.test(char) && typed.length < 16) {
          typed += char;
          write(char);
        }
      }
    },
  };
}

export type Prompt = ReturnType<typeof makePrompt>;
