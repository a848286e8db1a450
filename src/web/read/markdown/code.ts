import { visit } from '../measure.ts';
import { words } from '../strip.ts';
import type { El } from '../tree.ts';

const GUTTER = words(
  'gutter|linenos?|line-?numbers?(?:-rows)?|lnt|blob-num|hljs-ln-numbers|rouge-gutter|linenodiv|code-line-number',
);
/** A `pre` may be called `line-numbers` because a script numbers its lines. It is then no gutter itself. */
const isGutter = (el: El): boolean =>
  ('data-line-number' in el.attrs && el.chars < 8) ||
  (el.names !== '' && GUTTER.test(el.names) && el.tag !== 'pre' && el.tag !== 'code' && el.tag !== 'table') ||
  (el.tag === 'span' && /^(?:ln|lineno)$/.test(el.attrs.class ?? ''));

const LANGUAGE =
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush:?|sourceCode|prettyprint lang|code)[-: ]+([a-z][\w+#.-]{0,20})(?:\s|;|$)/i;
const NO_LANGUAGE =
  /^(?:none|plain|plaintext|text|default|wrapper|block|highlight|container|line-numbers|source|box|snippet|toolbar)$/i;

/** Each block looks at the names around it, so a long one would be read again and again. */
const LONGEST_CLASS = 500;

function languageOf(pre: El): string {
  let inner: El | undefined;
  for (const kid of pre.kids) if (typeof kid !== 'string' && kid.tag === 'code') inner = kid;
  for (const el of [inner, pre, pre.up, pre.up?.up]) {
    if (!el) continue;
    const said =
      el.attrs['data-lang'] ||
      el.attrs['data-language'] ||
      LANGUAGE.exec((el.attrs.class ?? '').slice(0, LONGEST_CLASS))?.[1] ||
      '';
    if (/^[a-z][\w+#.-]{0,20}$/i.test(said) && !NO_LANGUAGE.test(said)) return said.toLowerCase();
  }
  return '';
}

function sourceOf(el: El): string {
  return el.kids
    .map((kid) => {
      if (typeof kid === 'string') return kid;
      if (kid.tag === 'br') return '\n';
      if (isGutter(kid)) return '';
      const inside = sourceOf(kid);
      return (kid.tag === 'div' || kid.tag === 'tr' || kid.tag === 'li') &&
        inside !== '' &&
        !inside.endsWith('\n')
        ? `${inside}\n`
        : inside;
    })
    .join('');
}

/** Gives a block of code between fences, with its language and without the numbers of its lines. */
export function fenced(pre: El, clean: (text: string) => string): string {
  const source = clean(sourceOf(pre).replace(/\r\n?/g, '\n')).replace(/^\n+/, '').trimEnd();
  if (source === '') return '';
  const ticks =
    source.match(/^ *`{3,}/gm)?.reduce((most, each) => Math.max(most, each.trim().length), 2) ?? 2;
  const fence = '`'.repeat(Math.max(3, ticks + 1));
  return `${fence}${languageOf(pre)}\n${source}\n${fence}`;
}

/** Gives code within a line. */
export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat === '') return '';
  if (!flat.includes('`')) return `\`${flat}\``;
  const most = (flat.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const ticks = '`'.repeat(most + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${flat}${pad}${ticks}`;
}

const HOLDS_TABLE = new Set(['td', 'th', 'tr', 'tbody', 'table']);

/** Finds the code in a table that only sets line numbers beside it. */
export function codeIn(table: El): El | undefined {
  const found: El[] = [];
  let other = 0;
  visit(table, (el) => {
    if (isGutter(el)) return false;
    if (el.tag === 'pre') {
      found.push(el);
      return false;
    }
    if (!HOLDS_TABLE.has(el.tag) && el.kids.some((kid) => typeof kid === 'string' && kid.trim() !== ''))
      other++;
    return other === 0 && found.length < 2;
  });
  return found.length === 1 && other === 0 ? found[0] : undefined;
}
