import { errorText } from '../../../src/core/error-text.ts';
import { hasUnseen, visible } from '../../../src/core/visible.ts';
import { foldedText, type Screen } from '../../../src/gate/approval-lines.ts';
import { MAX_NOTE_CHARS } from '../../../src/gate/messages.ts';
import { type Answer, offered, readAnswer } from './answer.ts';

/** The result of an answer: it was carried out, or the same question is asked again, maybe without an answer that is not to be had. */
export type Outcome = { readonly said: string } | { readonly again: string; readonly without?: Answer };

/** A question that waits for a person at this terminal. */
export interface Question {
  readonly id: string;
  readonly answers: readonly Answer[];
  /**
   * Gives the text, which ends with the question. It is made again each time, because it says how much time
   * is left.
   */
  text(answers: readonly Answer[], screen: Screen): string;
  /** Gives the text for `?`. */
  full(answers: readonly Answer[], screen: Screen): string;
  /** Carries an answer out. A no brings the sentence that was typed after it. */
  decide(answer: Answer, note: string): Promise<Outcome>;
}

interface PromptPorts {
  write(text: string): void;
  /** Gives the time in milliseconds, to tell what was typed before a question appeared. */
  now(): number;
  /** Gives the screen that questions are drawn for. */
  screen(): Screen;
}

/** Nobody reads a question faster. Keys that arrive sooner were meant for something else. */
export const SETTLE_MS = 400;

/** `n`, and the longest sentence that the gate keeps. */
const MAX_TYPED = MAX_NOTE_CHARS + 3;

const ENTER = /[\r\n]/;

/** The sequences that a terminal sends for keys that are no letters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const KEY_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/g;

/** Asks one question at a time on one terminal. Removes a question that is decided elsewhere. */
export function makePrompt({ write, now, screen }: PromptPorts) {
  const waiting: Question[] = [];
  let current: Question | undefined;
  let answers: readonly Answer[] = [];
  let typed = '';
  let shownAt = 0;
  let deciding = false;
  let isWithdrawn = false;
  /** True until Enter ends a line that was begun for another question. */
  let isHalfTyped = false;

  const show = () => {
    // The line was begun for another question, so neither it nor its rest up to Enter may answer this one.
    isHalfTyped ||= typed !== '';
    typed = '';
    shownAt = now();
    if (current) write(`\n${current.text(answers, screen())} `);
  };
  const next = () => {
    current = waiting.shift();
    answers = current?.answers ?? [];
    isWithdrawn = false;
    show();
  };

  const carryOut = async (asked: Question, answer: Answer, note: string) => {
    deciding = true;
    const outcome = await asked.decide(answer, note).catch(
      (error: unknown): Outcome => ({
        again: `✗ ${visible(errorText(error), 600)}`,
      }),
    );
    deciding = false;
    write(`${foldedText('said' in outcome ? outcome.said : outcome.again, screen())}\n`);
    if ('said' in outcome || isWithdrawn) return next();
    answers = answers.filter((one) => one !== outcome.without);
    show();
  };

  const enter = async () => {
    const asked = current;
    if (!asked) return;
    const line = typed.trim();
    typed = '';
    write('\n');
    if (line === '?') {
      write(`${asked.full(answers, screen())} `);
      return;
    }
    const meant = readAnswer(line);
    if (meant && answers.includes(meant.answer)) return carryOut(asked, meant.answer, meant.note);
    const words = offered(answers);
    const said = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
    write(`Answer ${said}. A sentence after n goes to the caller. ? shows everything in full. `);
  };

  const press = async (char: string) => {
    if (ENTER.test(char)) return enter();
    if (char === '\b' || char === '\u007f') {
      if (typed !== '') write('\b \b');
      typed = Array.from(typed).slice(0, -1).join('');
    } else if (char !== '\t' && !hasUnseen(char) && typed.length < MAX_TYPED) {
      typed += char;
      write(char);
    }
  };

  return {
    put(question: Question): void {
      waiting.push(question);
      if (!current) next();
    },
    /** Removes a question. If its answer is already on its way, that answer counts. */
    withdraw(id: string, why: string): void {
      const at = waiting.findIndex((question) => question.id === id);
      if (at >= 0) waiting.splice(at, 1);
      if (current?.id !== id) return;
      isWithdrawn = true;
      if (deciding) return;
      write(`\n${why}\n`);
      next();
    },
    has: (id: string) => current?.id === id || waiting.some((question) => question.id === id),
    /** Prints a line without mixing it into what the person types. */
    say(line: string): void {
      if (current && !deciding) write(`\n${line}\n\n${current.text(answers, screen())} ${typed}`);
      else write(`${line}\n`);
    },
    /** Takes what the keyboard sent. */
    async type(text: string): Promise<void> {
      for (const char of text.replace(KEY_SEQUENCE, '')) {
        // Check this for each key, because an Enter among them may have shown another question.
        if (isHalfTyped) {
          isHalfTyped = !ENTER.test(char);
          if (!isHalfTyped) write('You began that line for another question, so it does not count. ');
          continue;
        }
        if (!current || deciding || now() - shownAt < SETTLE_MS) {
          // The rest of a line that began too early, such as the `y` of “deny”, answers nothing either.
          isHalfTyped = !ENTER.test(char);
          continue;
        }
        await press(char);
      }
    },
  };
}

export type Prompt = ReturnType<typeof makePrompt>;
