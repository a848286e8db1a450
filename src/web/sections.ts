import type { Rendering, Section } from './readings.ts';

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A part of a text: from one place up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Gives the section that begins with a heading: all up to the next heading of its level or a higher one. */
function ofHeading(sections: readonly Section[], place: number, length: number): Range {
  const first = sections[place];
  if (!first) return { from: 0, to: length };
  const next = sections.slice(place + 1).find(({ level }) => level <= first.level);
  return { from: first.index, to: next?.index ?? length };
}

/** Gives the section at a place, or from this place to its section's end if it is in the middle of one. */
function atPlace({ sections, text }: Rendering, index: number): Range {
  const own = sections.findLastIndex((each) => each.index <= index);
  const range = ofHeading(sections, own, text.length);
  return own >= 0 && sections[own]?.index === index ? range : { from: index, to: range.to };
}

/**
 * Finds a section by its heading or by the id that a link would name. A heading that says just this comes
 * before one that only begins with it.
 */
export function sectionNamed(rendering: Rendering, wanted: string): Range | undefined {
  const { sections, places, text } = rendering;
  const id = wanted.replace(/^#/, '');
  const place = places.get(id);
  if (place !== undefined) return atPlace(rendering, place);
  const name = bare(wanted);
  if (name === '') return undefined;
  const exact = sections.findIndex(({ title }) => bare(title) === name);
  const found = exact >= 0 ? exact : sections.findIndex(({ title }) => bare(title).startsWith(name));
  const last = found >= 0 ? found : sections.findIndex(({ title }) => bare(title).includes(name));
  return last >= 0 ? ofHeading(sections, last, text.length) : undefined;
}

/** Gives the id that an address ends with. A text fragment or a route of a script's is none. */
export function fragmentOf(url: string): string {
  const written = /#([^#]*)$/.exec(url)?.[1]?.replace(/:~:.*/s, '') ?? '';
  if (written === '' || /^[!/]/.test(written)) return '';
  try {
    return decodeURIComponent(written);
  } catch {
    // A stray percent sign stands for itself.
    return written;
  }
}

/** Finds the headings of a text that is Markdown already. */
export function headingsIn(text: string): Section[] {
  const sections: Section[] = [];
  let index = 0;
  let fence = '';
  for (const line of text.split('\n')) {
    const [mark = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') {
      fence = mark;
      const [, marks = '', title = ''] = /^(#{1,6}) +(.+)$/.exec(line) ?? [];
      if (marks) sections.push({ level: marks.length, title: title.trimEnd().replace(/ #+$/, ''), index });
    } else if (mark.startsWith(fence)) fence = '';
    index += line.length + 1;
  }
  return sections;
}

/** The most searches to the end of a text for headings that are not in it. */
const MOST_SEARCHES = 20;

/** Finds the same headings in the plain text, where they begin lines of their own. */
export function placedInText(text: string, sections: readonly Section[]): Section[] {
  const placed: Section[] = [];
  let from = 0;
  let missed = 0;
  for (const section of sections) {
    const title = section.title.replace(/\s+/g, ' ');
    if (title === '' || missed > MOST_SEARCHES) continue;
    const at =
      from === 0 && text.startsWith(title) ? 0 : text.indexOf(`\n${title}`, Math.max(0, from - 1)) + 1;
    if (at === 0 && !(from === 0 && text.startsWith(title))) {
      missed++;
      continue;
    }
    placed.push({ ...section, index: at });
    from = at + title.length;
  }
  return placed;
}

/** Gives the beginning of the character that is at a place, or in the middle of which the place is. */
export const characterAt = (text: string, place: number): number =>
  place > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1)) ? place - 1 : place;

/** Gives the end of a piece of at most `most` characters: at a line's end if one is near, never inside a character. */
export function endOf(text: string, from: number, to: number, most: number): number {
  const end = from + most;
  if (end >= to) return to;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > from + most / 2) return line;
  const isInside = /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  if (!isInside) return end;
  return end - 1 > from ? end - 1 : end + 1;
}
