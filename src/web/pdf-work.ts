/**
 * The most work that a page may make: words of its drawing language, and characters of text. Nothing can stop the
 * library in the middle of a page without text, so each page must end within seconds.
 */
const MAX_WORK = 1_000_000;
/** The most states that a drawing may save one inside another. Reading takes time with the cube of that number. */
const MAX_DEPTH = 200;
/** The most words that only one of two readings may see. */
const MAX_UNSURE = 2_000;

const BLANK = /[\0\t\n\f\r ]/;
const ENDS_WORD = /[\0\t\n\f\r ()<>[\]{}/%]/;

/** The work that a part makes when it is drawn, and the states that it saves and never restores. */
interface PartWork {
  readonly work: number;
  readonly depth: number;
}

/** Counts the work of drawing a part of a PDF, or tells that it is too much. The part may be something else, such as a font. */
export function workOf(text: string): PartWork | 'too much' {
  // Half of what compressed pictures and fonts hold is nothing that a drawing would hold.
  const strange = text.slice(0, 20_000).replace(/[\t\n\f\r -~]/g, '').length;
  const isBinary = strange > Math.min(text.length, 20_000) / 5;
  let words = 0;
  let chars = 0;
  let depth = 0;
  let saves = 0;
  let hasPictures = false;
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (BLANK.test(char)) at += 1;
    else if (char === '(') {
      const end = endOfText(text, at);
      chars += end - at;
      at = end;
    } else if (char === '<' && text.charAt(at + 1) !== '<') {
      const end = endAt(text, '>', at);
      chars += (end - at) / 2;
      at = end;
    } else if (char === '%') at = endOfLine(text, at);
    else if (ENDS_WORD.test(char) && char !== '/') {
      words += 1;
      at += 1;
    } else {
      let end = at + 1;
      while (end < text.length && !ENDS_WORD.test(text.charAt(end))) end += 1;
      const word = end - at <= 2 ? text.slice(at, end) : '';
      if (word === 'q') {
        depth += 1;
        saves += 1;
        if (depth > MAX_DEPTH) return 'too much';
      } else if (word === 'Q') depth = Math.max(0, depth - 1);
      else if (word === 'ID') hasPictures = true;
      words += 1;
      at = end;
    }
  }
  // The end of a picture's bytes or of a text is a guess, and restores could hide in them.
  const hidden = (text.match(/(?<![^\s\])}>])q(?=[\s[({</%])/g)?.length ?? 0) - saves;
  const unsure = hasPictures ? saves : hidden;
  const work = words + chars / (isBinary ? 6 : 2);
  return unsure > MAX_UNSURE || work > MAX_WORK ? 'too much' : { work, depth };
}

const REFERENCES = /\[((?:\s*\d+\s+\d+\s+R\b){2,}\s*)\]/g;

/** Adds up what a PDF has drawn one after the other: a page may list any part any number of times. */
export class PageWork {
  readonly #parts = new Map<number, PartWork>();
  readonly #lists: number[][] = [];

  /** Learns the work of a part. The same number may stand for several parts, so the largest counts. */
  add(number: number, part: PartWork): void {
    const known = this.#parts.get(number);
    if (!known || known.work < part.work) this.#parts.set(number, part);
  }

  /** Learns the lists of parts in a text of the PDF. */
  look(text: string): void {
    for (const [, list = ''] of text.matchAll(REFERENCES)) {
      const words = list.trim().split(/\s+/);
      this.#lists.push(words.filter((_, at) => at % 3 === 0).map(Number));
    }
  }

  isTooMuch(): boolean {
    return this.#lists.some((list) => {
      let [work, depth] = [0, 0];
      for (const number of list) {
        // A part without a number may be any of them.
        const part = this.#parts.get(number) ?? this.#parts.get(Number.NaN);
        work += part?.work ?? 0;
        depth += part?.depth ?? 0;
      }
      return work > MAX_WORK || depth > MAX_DEPTH;
    });
  }
}

/** Finds the end of a text in brackets, which may hold brackets in pairs. */
function endOfText(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}

function endAt(text: string, mark: string, start: number): number {
  const found = text.indexOf(mark, start);
  return found < 0 ? text.length : found + 1;
}

function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at++) if (text[at] === '\n' || text[at] === '\r') return at;
  return text.length;
}
