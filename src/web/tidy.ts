/** Unseen characters. They hide words from people and show them to models. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Cuts trailing blanks, lines to skip, and repeated empty lines. Code between fences keeps its own. */
export function calmLines(text: string, skip: (line: string) => boolean = () => false): string {
  const kept: string[] = [];
  let fenced = false;
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    if (line.startsWith('```')) fenced = !fenced;
    else if (!fenced && (skip(line) || (line === '' && kept.at(-1) === ''))) continue;
    kept.push(line);
  }
  return kept.join('\n');
}

/** Gives the beginning of a text without cutting a character in two. */
export function beginning(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** Cleans a text: one kind of line end, no trailing blanks, no unseen characters, no runs of empty lines. */
export function tidy(text: string): string {
  const lines = calmLines(text.replace(/\r\n?|\u0085|\u2028|\u2029|\f/g, '\n').replace(UNSEEN, ''));
  return lines.replace(/^\n+|\n+$/g, '');
}
