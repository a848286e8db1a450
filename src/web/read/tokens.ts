import { type ParserOptions, Tokenizer } from 'htmlparser2';

/** The parts of htmlparser2's tokenizer that are used here. It looks at one character after the other. */
interface OneByOne {
  readonly buffer: string;
  readonly offset: number;
  index: number;
  stateText(code: number): void;
  handleInAttributeValue(code: number, quote: number): void;
}

const AMPERSAND = 38;
const LESS = 60;

/** Moves to the last character before one of two characters, or to the end. */
function skipTo(tokens: OneByOne, first: number, second: number): void {
  const { buffer, offset } = tokens;
  let at = tokens.index - offset + 1;
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === first || code === second) break;
  }
  tokens.index = offset + at - 1;
}

const Base = Tokenizer as unknown as new (...given: ConstructorParameters<typeof Tokenizer>) => OneByOne;

/** Takes the characters of a text or a value in one step: most of a page is those. */
class InOneStep extends Base {
  override stateText(code: number): void {
    if (code === LESS || code === AMPERSAND) super.stateText(code);
    else skipTo(this, LESS, AMPERSAND);
  }

  override handleInAttributeValue(code: number, quote: number): void {
    if (code === quote || code === AMPERSAND) super.handleInAttributeValue(code, quote);
    else skipTo(this, quote, AMPERSAND);
  }
}

export const inOneStep: Pick<ParserOptions, 'Tokenizer'> = {
  Tokenizer: InOneStep as unknown as typeof Tokenizer,
};
