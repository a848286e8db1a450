/** A piece of a text, and the text between it and the next. */
export interface Chunk {
  readonly text: string;
  readonly after: string;
}

const MAX_CHARS = 6_000;
const SENTENCE = /[.!?…]["'”’»)\]]*\s+|[。！？．｡؟۔।॥]["'”’»)\]）」』]*\s*/gu;

/** Cuts a text at paragraphs, and a long paragraph at sentences. The pieces join to the whole text again. */
export function chunksOf(text: string, max = MAX_CHARS): Chunk[] {
  const chunks: { text: string; after: string }[] = [];
  const pieces = text.split(/(\n\n)/);
  for (let i = 0; i < pieces.length; i += 2) {
    const after = pieces[i + 1] ?? '';
    const parts = sentencesIn(pieces[i] ?? '', max);
    parts.forEach((part, n) => {
      const next = { text: part.text, after: n === parts.length - 1 ? part.after + after : part.after };
      const last = chunks.at(-1);
      if (last && last.text.length + last.after.length + next.text.length <= max) {
        last.text += last.after + next.text;
        last.after = next.after;
      } else chunks.push(next);
    });
  }
  return chunks;
}

function sentencesIn(paragraph: string, max: number): Chunk[] {
  if (paragraph.length <= max) return [{ text: paragraph, after: '' }];
  const parts: Chunk[] = [];
  let from = 0;
  const push = (to: number) => {
    for (; from < to; ) {
      // Without an end of a sentence, cut at a blank; without a blank, in the middle.
      const end = to - from <= max ? to : blankBefore(paragraph, from, from + max);
      const piece = paragraph.slice(from, end);
      const text = piece.trimEnd();
      parts.push({ text, after: piece.slice(text.length) });
      from = end;
    }
  };
  for (const match of paragraph.matchAll(SENTENCE)) push(match.index + match[0].length);
  push(paragraph.length);
  return parts;
}

function blankBefore(text: string, from: number, to: number): number {
  const blank = text.lastIndexOf(' ', to);
  if (blank > from) return blank + 1;
  const isPair = /[\ud800-\udbff]/.test(text.charAt(to - 1));
  return isPair ? to - 1 : to;
}
