/** Declarations that hide an element, one a line. */
const HIDDEN = [
  /(?:^|;)\s*display\s*:\s*none/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/,
  /(?:^|;)\s*font-size\s*:\s*(?:0|0?\.\d+|1)(?:\.\d+)?(?:px|pt)\b/,
  /(?:^|;)\s*font-size\s*:\s*0(?:\.0\d*)?(?:r?em|%|v[wh])?\s*(?:!important\s*)?(?:;|$)/,
  /(?:^|;)\s*clip\s*:\s*rect\(\s*(?:0|1px|0px)[\s,]+(?:0|1px|0px)[\s,]+(?:0|1px|0px)[\s,]+(?:0|1px|0px)\s*\)/,
  /(?:^|;)\s*clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*,\s*0(?:px)?\s+0(?:px)?\s*,\s*0)/,
  /(?:^|;)\s*transform\s*:[^;]*scale(?:3d|x|y)?\(\s*0(?:\.0+)?\s*[,)]/,
  /(?:^|;)\s*transform\s*:[^;]*translate(?:3d|x|y)?\([^)]*-\d{4,}px/,
  /(?:^|;)\s*text-indent\s*:\s*-\d{3,}(?:px|em|%)/,
  /(?:^|;)\s*content-visibility\s*:\s*hidden/,
];
/** One pattern for all of them, because each would read the whole style. */
const UNSEEN = new RegExp(HIDDEN.map(({ source }) => source).join('|'));
const CLEAR = /(?:^|;)\s*opacity\s*:\s*0*(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)/;
const MOVED_AWAY =
  /(?:^|;)\s*(?:left|right|top|bottom|inset-inline-start|margin-left|margin-top)\s*:\s*-\d{3,}(?:\.\d+)?(?:px|em|rem|vw|vh|%)/;
const TAKEN_OUT = /(?:^|;)\s*(?:position\s*:\s*(?:absolute|fixed)|margin-(?:left|top)\s*:)/;
const NO_SIZE = /(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:!important\s*)?(?:;|$)/;
const CUT_OFF = /(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/;
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]+)/;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/;

const WHITES = new Set([
  'white',
  '#fff',
  '#ffffff',
  'rgb(255,255,255)',
  'rgba(255,255,255,1)',
  'snow',
  '#fefefe',
]);
const tint = (colour: string): string => {
  const plain = colour.replace(/\s+/g, '').toLowerCase();
  return WHITES.has(plain) ? 'white' : plain;
};

/** Recognises text in the colour of its own background. */
function blendsIn(style: string): boolean {
  const ink = tint(COLOUR.exec(style)?.[1] ?? '');
  if (!ink) return false;
  if (/^(?:transparent|#0000|#00000000|rgba\(\d+,\d+,\d+,0(?:\.0+)?\))$/.test(ink)) {
    return !/background-clip\s*:\s*text/.test(style);
  }
  const paper = BACKGROUND.exec(style)?.[1];
  return paper !== undefined && tint(paper.trim()) === ink;
}

/**
 * Only the two ends of longer declarations are read. That is enough for any person's style, and too short to
 * make a pattern slow.
 */
const LONGEST_STYLE = 1_500;

const bounded = (style: string): string =>
  style.length > LONGEST_STYLE * 2
    ? `${style.slice(0, LONGEST_STYLE)};${style.slice(-LONGEST_STYLE)}`
    : style;

/** Declarations that browsers know. A later one undoes an earlier one, and an unknown one undoes nothing. */
const SHOWS =
  /^\s*(?:display\s*:\s*(?:block|flow-root|inline|inline-block|flex|inline-flex|grid|inline-grid|contents|list-item|table(?:-\w+)?|-webkit-(?:inline-)?box)|visibility\s*:\s*visible|opacity\s*:\s*(?:1|0?\.[1-9]\d*))\s*(?:!important\s*)?$/;
/** A string, a comment or a bracket may hold a semicolon, so what stands behind one is no declaration. */
const MAY_HOLD_ANOTHER = /["'\\{[]|\/\*|\([^)]*;/;

/** Leaves out a declaration that a later one of the same rule undoes: `display: none; display: block` shows. */
function lastWord(style: string): string {
  if (style.length > LONGEST_STYLE || MAY_HOLD_ANOTHER.test(style)) return style;
  const parts = style.split(';');
  const shown = new Set<string>();
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] ?? '';
    const name = part.slice(0, Math.max(0, part.indexOf(':'))).trim();
    if (shown.has(name) && !part.includes('!important')) parts[i] = '';
    if (SHOWS.test(part)) shown.add(name);
  }
  return parts.join(';');
}

const judged = (declarations: string): string => {
  const style = declarations.includes('url(')
    ? declarations.replace(/url\([^()]{0,100000}\)/g, '')
    : declarations;
  return bounded(style).toLowerCase();
};

/** Tells whether declarations, of an attribute or a rule, hide an element. */
export function styleHides(declarations: string): boolean {
  const style = judged(declarations);
  return hides(style, CLEAR) && hides(lastWord(style), CLEAR);
}

/** What a part that appears as a reader reaches it does meanwhile: it moves, grows, or changes with time. */
const APPEARS =
  /(?:^|;)\s*(?:-webkit-)?(?:(?:transition|animation)(?:-[a-z]+)*\s*:(?!\s*none)|will-change\s*:|transform\s*:[^;]*(?:translate|scale|rotate))/;
/** Menus, hints and dialogs are as clear while nobody opens them. They take no room, or no clicks. */
const WAITS = /(?:^|;)\s*(?:position\s*:\s*(?:absolute|fixed)|pointer-events\s*:\s*none)/;

/**
 * Tells whether declarations only make an element clear until a script or time shows it. They say so themselves, or its
 * names do.
 */
export function fades(declarations: string, isNamedSo: boolean): boolean {
  const style = judged(declarations);
  return CLEAR.test(style) && !hides(style) && !WAITS.test(style) && (isNamedSo || APPEARS.test(style));
}

function hides(style: string, also?: RegExp): boolean {
  if (UNSEEN.test(style) || also?.test(style)) return true;
  if (TAKEN_OUT.test(style) && MOVED_AWAY.test(style)) return true;
  if (CUT_OFF.test(style) && NO_SIZE.test(style)) return true;
  return blendsIn(style);
}
