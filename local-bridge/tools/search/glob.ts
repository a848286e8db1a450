/** A parsed glob pattern. Patterns without a `/` match names at any depth. */
export interface Glob {
  /** Tells whether a path below the searched folder, with `/`, matches. */
  matches(path: string): boolean;
  /**
   * Patterns of file names in ripgrep's spelling. Every match fits at least one, so ripgrep can skip most other files
   * early. `undefined` if there are none.
   */
  readonly names: readonly string[] | undefined;
}

/** An invalid pattern, with its mistake. */
interface BadGlob {
  readonly wrong: string;
}

/** The most alternatives, because each is tried on every path. People write fewer. */
const MAX_ALTERNATIVES = 64;

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

/** A folder or name of a path. `globstar` stands for any number of folders. */
type Segment = readonly Token[] | 'globstar';

/** Reads a pattern of `*`, `?`, `[a-z]`, `{a,b}`, `**` and `\`. */
export function parseGlob(pattern: string): Glob | BadGlob {
  const alternatives = expand(pattern.replace(/^(?:\.\/+)+/, ''));
  if ('wrong' in alternatives) return alternatives;
  const globs: Segment[][] = [];
  for (const alternative of alternatives) {
    const segments = segmentsOf(alternative);
    if ('wrong' in segments) return segments;
    globs.push(segments);
  }
  const names = globs.map((segments) => nameOf(segments.at(-1)));
  const tests = globs.map(testOf);
  return {
    matches: (path) => tests.some((test) => test(path)),
    names: names.every((name) => name !== undefined) ? names : undefined,
  };
}

/** Lists every pattern that the braces stand for. */
function expand(pattern: string): string[] | BadGlob {
  const done: string[] = [];
  const todo = [pattern];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const group = firstBraces(next);
    if (group && 'wrong' in group) return group;
    if (!group) done.push(next);
    else for (const part of group.parts.toReversed()) todo.push(group.before + part + group.after);
    if (done.length + todo.length > MAX_ALTERNATIVES) {
      return { wrong: `its braces stand for more than ${MAX_ALTERNATIVES} patterns` };
    }
  }
  return done;
}

function firstBraces(
  pattern: string,
): { before: string; parts: string[]; after: string } | BadGlob | undefined {
  const parts: string[] = [];
  let open = -1;
  let depth = 0;
  let from = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (char === '[') {
      const end = classEnd(pattern, i);
      if (end === undefined) return { wrong: 'a `[` is not closed' };
      i = end;
    } else if (char === '{') {
      if (depth++ === 0) [open, from] = [i, i + 1];
    } else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(from, i));
      from = i + 1;
    } else if (char === '}') {
      if (depth === 0) return { wrong: 'a `}` closes nothing' };
      if (--depth === 0) {
        parts.push(pattern.slice(from, i));
        return { before: pattern.slice(0, open), parts, after: pattern.slice(i + 1) };
      }
    }
  }
  return depth > 0 ? { wrong: 'a `{` is not closed' } : undefined;
}

/** Finds the end of the class that begins at `open`. A `]` right at its start belongs to it. */
function classEnd(pattern: string, open: number): number | undefined {
  const first = open + (/[!^]/.test(pattern[open + 1] ?? '') ? 2 : 1);
  const end = pattern.indexOf(']', first + 1);
  return end === -1 ? undefined : end;
}

function segmentsOf(pattern: string): Segment[] | BadGlob {
  const segments: Segment[] = pattern.includes('/') ? [] : ['globstar'];
  for (const text of splitOutsideClasses(pattern)) {
    if (text === '**') {
      // Two `**` in a row mean the same as one.
      if (segments.at(-1) !== 'globstar') segments.push('globstar');
      continue;
    }
    if (text === '' || text === '.' || text === '..') {
      return {
        wrong:
          text === '' ? 'it has an empty name between, before or after its `/`' : `\`${text}\` is no name`,
      };
    }
    const tokens = tokensOf(text);
    if ('wrong' in tokens) return tokens;
    segments.push(tokens);
  }
  return segments;
}

function splitOutsideClasses(pattern: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === '[') i = classEnd(pattern, i) ?? i;
    else if (pattern[i] === '/') {
      parts.push(pattern.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(pattern.slice(from));
  return parts;
}

function tokensOf(text: string): Token[] | BadGlob {
  const tokens: Token[] = [];
  for (let i = 0; i < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(i) ?? 0);
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' });
      i++;
    } else if (char === '?') {
      tokens.push({ kind: 'one' });
      i++;
    } else if (char === '[') {
      const end = classEnd(text, i) ?? text.length;
      const token = classOf(text.slice(i + 1, end));
      if ('wrong' in token) return token;
      tokens.push(token);
      i = end + 1;
    } else {
      if (char === '\\' && i + 1 === text.length) return { wrong: 'it ends in a `\\`' };
      const literal = char === '\\' ? String.fromCodePoint(text.codePointAt(i + 1) ?? 0) : char;
      tokens.push({ kind: 'text', text: literal });
      i += literal.length + (char === '\\' ? 1 : 0);
    }
  }
  return tokens;
}

function classOf(inside: string): Token | BadGlob {
  const negated = /^[!^]/.test(inside);
  const chars = Array.from(negated ? inside.slice(1) : inside, (char) => char.codePointAt(0) ?? 0);
  const ranges: [number, number][] = [];
  const DASH = 0x2d;
  for (let i = 0; i < chars.length; i++) {
    const low = chars[i] ?? 0;
    const high = chars[i + 1] === DASH ? chars[i + 2] : undefined;
    if (high === undefined) ranges.push([low, low]);
    else {
      if (high < low)
        return { wrong: `the range \`${String.fromCodePoint(low, DASH, high)}\` runs backwards` };
      ranges.push([low, high]);
      i += 2;
    }
  }
  return { kind: 'class', negated, ranges };
}

/** Makes the test for a path. It tries the path's end first, which fails for most paths. */
function testOf(segments: readonly Segment[]): (path: string) => boolean {
  const [first, name] = segments;
  const tail = tailOf(segments.at(-1));
  if (first === 'globstar' && segments.length === 1) return () => true;
  if (first === 'globstar' && segments.length === 2 && name !== undefined && name !== 'globstar') {
    if (name.length === 1 && name[0]?.kind === 'any') return () => true;
    return (path) => path.endsWith(tail) && matchName(name, path.slice(path.lastIndexOf('/') + 1));
  }
  return (path) => path.endsWith(tail) && matchSegments(segments, path.split('/'));
}

function tailOf(segment: Segment | undefined): string {
  if (segment === undefined || segment === 'globstar') return '';
  const from = segment.findLastIndex(({ kind }) => kind !== 'text') + 1;
  return segment
    .slice(from)
    .map((token) => (token.kind === 'text' ? token.text : ''))
    .join('');
}

/** Matches segments. After a failure it returns only to the last `**`: an earlier one could only have taken more. */
function matchSegments(segments: readonly Segment[], parts: readonly string[]): boolean {
  let s = 0;
  let p = 0;
  let star = -1;
  let starAt = 0;
  while (p < parts.length) {
    const segment = segments[s];
    if (segment === 'globstar') {
      // A `**` at the end stands for everything below a folder, so any file fits.
      if (s === segments.length - 1) return true;
      [star, starAt] = [s++, p];
    } else if (segment !== undefined && matchName(segment, parts[p] ?? '')) {
      s++;
      p++;
    } else if (star >= 0) {
      p = ++starAt;
      s = star + 1;
    } else return false;
  }
  return s === segments.length;
}

function matchName(tokens: readonly Token[], name: string): boolean {
  let t = 0;
  let n = 0;
  let star = -1;
  let starAt = 0;
  while (n < name.length) {
    const token = tokens[t];
    if (token?.kind === 'any') {
      if (t === tokens.length - 1) return true;
      [star, starAt] = [t++, n];
      continue;
    }
    const code = name.codePointAt(n) ?? 0;
    if (token !== undefined && fits(token, code)) {
      t++;
      n += code > 0xffff ? 2 : 1;
    } else if (star >= 0) {
      n = ++starAt;
      t = star + 1;
    } else return false;
  }
  while (tokens[t]?.kind === 'any') t++;
  return t === tokens.length;
}

function fits(token: Token, code: number): boolean {
  if (token.kind === 'text') return token.text.codePointAt(0) === code;
  if (token.kind === 'class')
    return token.negated !== token.ranges.some(([low, high]) => low <= code && code <= high);
  return true;
}

/** Writes a name's pattern for ripgrep, whose `?` means one byte. Whatever could mean something else becomes `*`. */
function nameOf(segment: Segment | undefined): string | undefined {
  if (segment === undefined || segment === 'globstar') return undefined;
  const name = segment
    .map((token) => (token.kind === 'text' && /^[\w.-]$/.test(token.text) ? token.text : '*'))
    .join('')
    .replace(/\*+/g, '*');
  return name === '*' ? undefined : name;
}
