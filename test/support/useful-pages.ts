import { describe, expect, it } from 'vitest';
import { type ReadPage, readHtml } from '../../src/web/read/read.ts';
import { FRAME_WORD, frames, type Made } from './made-pages.ts';

/** A page of a family, and what has to hold of its reading for a model to be able to use it. */
export interface Useful {
  readonly page: Made;
  readonly check: (markdown: string, page: ReadPage) => void;
}

export const SITE = 'https://harbour.example';

export function read(html: string): ReadPage {
  const source = {
    bytes: new TextEncoder().encode(html),
    contentType: 'text/html',
    url: `${SITE}/notes/page`,
  };
  return readHtml(source, { format: 'markdown', links: true });
}

/** Expects pieces one after the other, each once. */
export function inOrder(text: string, pieces: readonly string[]): void {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    expect(at, `"${piece}" in ${text.slice(0, 4_000)}`).toBeGreaterThanOrEqual(0);
    from = at + piece.length;
    expect(text.indexOf(piece, from), `"${piece}" again`).toBe(-1);
  }
}

export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export const TITLE = 'What the harbour keeps';
export const made = (body: string, head?: string): Made => ({
  title: TITLE,
  body,
  ...(head ? { head } : {}),
});

/** Holds families of pages, each in every frame, against their bars. Tells that there are enough of them. */
export function holdInAllFrames(
  bars: Readonly<Record<string, Readonly<Record<string, Useful>>>>,
  least: number,
): void {
  let pages = 0;
  for (const [bar, family] of Object.entries(bars))
    describe(`a reading ${bar}`, () => {
      for (const [name, { page, check }] of Object.entries(family))
        for (const [framed, frame] of Object.entries(frames)) {
          pages++;
          it(`${name}, framed as ${framed}`, () => {
            const whole = read(frame(page));
            const markdown = whole.markdown?.text ?? '';
            check(markdown, whole);
            expect(markdown).not.toContain(FRAME_WORD);
          });
        }
    });
  it(`holds on at least ${least} pages`, () => expect(pages).toBeGreaterThanOrEqual(least));
}
