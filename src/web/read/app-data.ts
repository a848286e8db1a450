import { measure } from './measure.ts';
import type { Facts } from './meta/facts.ts';
import { renderText } from './text.ts';
import { parsePage } from './tree.ts';

const MOST_VALUES = 20_000;
const DEEPEST = 40;
const MOST_CHARS = 200_000;
/** Shorter texts are labels, and texts without blanks are names, keys and addresses. */
const SHORTEST = 60;
const SAYS = /^(?!\s*(?:[{[]|https?:|\/|data:|var |function|\.|#))(?=(?:\S+\s+){7})/;
/** Words of the program and not of the page. */
const PROGRAM =
  /(?:^|_|-)(?:translations?|i18n|locales?|messages|config|env|styles?|css|theme|query|schema|cookies?|consent|footer|nav|menu|seo|analytics|tracking|ads?)(?:$|_|-)/i;

/** Gives the text of a piece of HTML. */
function htmlText(html: string): string {
  if (!/<\/?[a-z]|&[a-z#]/i.test(html)) return html.trim();
  const { root } = parsePage(html);
  measure(root);
  return renderText(root);
}

/** Finds the sentences in the data from which a script would make the page. */
export function appText(data: readonly string[]): string {
  const said = new Set<string>();
  let values = 0;
  let chars = 0;
  const look = (value: unknown, depth: number): void => {
    if (++values > MOST_VALUES || depth > DEEPEST || chars > MOST_CHARS) return;
    if (typeof value === 'string') {
      if (value.length < SHORTEST || !SAYS.test(value.slice(0, 2_000))) return;
      const text = htmlText(value.slice(0, MOST_CHARS));
      if (said.has(text)) return;
      said.add(text);
      chars += text.length;
    } else if (Array.isArray(value)) for (const each of value) look(each, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) if (!PROGRAM.test(key)) look(each, depth + 1);
  };
  for (const text of data) {
    try {
      look(JSON.parse(text), 0);
    } catch {
      // Data that is no JSON says nothing here.
    }
  }
  return [...said].join('\n\n').slice(0, MOST_CHARS);
}

/** Gives the body of the article that the page's JSON-LD holds. */
export function ldBody({ ld }: Facts): string {
  const bodies = ld.map(({ articleBody, text, reviewBody }) =>
    [articleBody, text, reviewBody].find((each): each is string => typeof each === 'string'),
  );
  const body = bodies.filter((each) => each !== undefined).sort((a, b) => b.length - a.length)[0] ?? '';
  return body.length > 200 ? htmlText(body.slice(0, MOST_CHARS)) : '';
}
