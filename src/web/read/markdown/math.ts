import type { El } from '../tree.ts';

const kidsOf = (el: El): El[] => el.kids.filter((kid): kid is El => typeof kid !== 'string');
const mathText = (el: El): string =>
  el.kids
    .map((kid) => (typeof kid === 'string' ? kid : mathText(kid)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

const SIGNS: Readonly<Record<string, string>> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∫': '\\int',
  '√': '\\sqrt',
  '∞': '\\infty',
  '≤': '\\le',
  '≥': '\\ge',
  '≠': '\\ne',
  '≈': '\\approx',
  '±': '\\pm',
  '×': '\\times',
  '⋅': '\\cdot',
  '·': '\\cdot',
  '÷': '\\div',
  '→': '\\to',
  '∈': '\\in',
  '∂': '\\partial',
  '∇': '\\nabla',
  '−': '-',
  α: '\\alpha',
  β: '\\beta',
  γ: '\\gamma',
  δ: '\\delta',
  ε: '\\epsilon',
  θ: '\\theta',
  λ: '\\lambda',
  μ: '\\mu',
  π: '\\pi',
  ρ: '\\rho',
  σ: '\\sigma',
  τ: '\\tau',
  φ: '\\phi',
  ω: '\\omega',
  Δ: '\\Delta',
  Ω: '\\Omega',
  '{': '\\{',
  '}': '\\}',
};
/** Invisible characters of formulas, whose meaning is clear without them. */
const SILENT = /[\u2061-\u2064\u200b]/g;

const endsInCommand = (tex: string): boolean => /\\[a-zA-Z]+$/.test(tex.slice(-20));

/** A sign that begins with a letter's command needs a blank before the next letter. */
const joined = (parts: readonly string[]): string =>
  parts
    .filter(Boolean)
    .map((part, i, all) => (/^[a-zA-Z]/.test(part) && endsInCommand(all[i - 1] ?? '') ? ` ${part}` : part))
    .join('');

const group = (el: El | undefined): string => `{${el ? written(el) : ''}}`;
const single = (tex: string): string => (/^(?:.|\\[a-zA-Z]+)$/su.test(tex) ? tex : `{${tex}}`);
const row = (el: El): string => joined(kidsOf(el).map(written));

/** Writes a piece of MathML as TeX. Elements with a meaning of their own are few; the others are rows. */
function written(el: El): string {
  const [first, second, third] = kidsOf(el);
  // Only where it is needed: writing each part twice doubles the work with each level.
  const base = () => (first ? written(first) : '');
  switch (el.tag) {
    case 'mi':
    case 'mn':
    case 'mo': {
      const text = mathText(el).replace(SILENT, '');
      const sign = SIGNS[text];
      if (sign) return sign;
      return el.tag === 'mi' && /^[a-z]{2,}$/i.test(text)
        ? `\\${/^(?:sin|cos|tan|log|ln|exp|lim|max|min|det|gcd)$/.test(text) ? text : `mathrm{${text}}`}`
        : text;
    }
    case 'mtext':
    case 'ms': {
      const text = mathText(el);
      return text ? `\\text{${text}}` : '';
    }
    case 'mfrac':
      return `\\frac${group(first)}${group(second)}`;
    case 'msqrt':
      return `\\sqrt{${row(el)}}`;
    case 'mroot':
      return `\\sqrt[${second ? written(second) : ''}]${group(first)}`;
    case 'msup':
    case 'mover':
      return `${single(base())}^${second ? single(written(second)) : '{}'}`;
    case 'msub':
    case 'munder':
      return `${single(base())}_${second ? single(written(second)) : '{}'}`;
    case 'msubsup':
    case 'munderover':
      return `${single(base())}_${second ? single(written(second)) : '{}'}^${third ? single(written(third)) : '{}'}`;
    case 'mtable':
      return `\\begin{matrix}${kidsOf(el).map(written).join(' \\\\ ')}\\end{matrix}`;
    case 'mtr':
      return kidsOf(el).map(written).join(' & ');
    case 'mfenced':
      return `(${kidsOf(el).map(written).join(', ')})`;
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'semantics':
      return base();
    default:
      return first ? row(el) : mathText(el);
  }
}

function annotated(el: El): string {
  for (const kid of kidsOf(el)) {
    if (kid.tag === 'annotation' && /tex/i.test(kid.attrs.encoding ?? '')) return mathText(kid);
    const inside = annotated(kid);
    if (inside) return inside;
  }
  return '';
}

const WORD = /[a-z]{4,}/gi;
/**
 * Tells whether the TeX beside a formula says the same as the formula. No person sees that TeX, so it may
 * not tell a model words that the page does not show.
 */
function saysTheSame(tex: string, math: El): boolean {
  const shown = mathText({ ...math, kids: math.kids.map(withoutNotes) }).replace(/\s+/g, '');
  const said = tex.replace(/\\(?:begin|end|operatorname)?\*?\{?[a-zA-Z]+/g, ' ');
  return (said.match(WORD) ?? []).every((word) => shown.includes(word));
}

const withoutNotes = (kid: El | string): El | string =>
  typeof kid === 'string'
    ? kid
    : { ...kid, kids: /^annotation/.test(kid.tag) ? [] : kid.kids.map(withoutNotes) };

/** Longer formulas are data and not something to read. */
const LONGEST = 4_000;

/** Gives a formula as TeX: the page's own where it has it, else made from its MathML. */
export function texOf(math: El): string {
  const own = annotated(math) || math.attrs.alttext?.trim() || '';
  const tex = math.tag !== 'math' ? mathText(math) : own && saysTheSame(own, math) ? own : written(math);
  const flat = tex
    .replace(/\s+/g, ' ')
    .replace(/^\{\\displaystyle (.*)\}$/, '$1')
    .trim();
  return flat.slice(0, LONGEST);
}

export const isDisplayed = (math: El): boolean =>
  math.attrs.display === 'block' ||
  math.attrs.mode === 'display' ||
  /mode=display/.test(math.attrs.type ?? '') ||
  /(?:^|\s)katex-display/.test(math.up?.up?.up?.names ?? '') ||
  /(?:^|\s)katex-display/.test(math.up?.up?.names ?? '');
