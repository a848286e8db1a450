import type { Page } from '../tree.ts';
import { type Facts, firstMeta, ldText } from './facts.ts';

/** Scripts that one language uses, or nearly one. */
const SCRIPTS: readonly [RegExp, string][] = [
  [/[\u3040-\u30ff]/g, 'ja'],
  [/[\uac00-\ud7af]/g, 'ko'],
  [/[\u4e00-\u9fff]/g, 'zh'],
  [/[\u0e00-\u0e7f]/g, 'th'],
  [/[\u0370-\u03ff]/g, 'el'],
  [/[\u0590-\u05ff]/g, 'he'],
  [/[\u0600-\u06ff]/g, 'ar'],
  [/[\u0900-\u097f]/g, 'hi'],
  [/[\u0400-\u04ff]/g, 'ru'],
];

const tag = (text: string): string | null => {
  const [, language, region] = /^\s*([a-z]{2,3})(?:[-_]([a-z]{2,4}|\d{3}))?\b/i.exec(text) ?? [];
  if (!language) return null;
  const code = language.toLowerCase();
  if (!region) return code;
  return `${code}-${region.length === 4 ? region.charAt(0).toUpperCase() + region.slice(1).toLowerCase() : region.toUpperCase()}`;
};

/** Words so common that a few of them tell the language. */
const COMMON: readonly [string, RegExp][] = [
  ['en', /\b(?:the|and|of|to|is|that|with|for)\b/gi],
  ['de', /\b(?:der|die|und|das|nicht|ist|mit|von)\b/gi],
  ['fr', /\b(?:le|les|des|et|est|une|dans|pour)\b/gi],
  ['es', /\b(?:el|los|las|que|una|por|con|del)\b/gi],
  ['it', /\b(?:il|che|di|gli|della|per|una|sono)\b/gi],
  ['pt', /\b(?:os|que|uma|para|com|não|dos|em)\b/gi],
  ['nl', /\b(?:het|een|van|en|niet|dat|zijn|voor)\b/gi],
];

function byScript(text: string): string | null {
  const sample = text.slice(0, 5_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [script, language] of SCRIPTS) {
    const share = (sample.match(script)?.length ?? 0) / (letters || 1);
    if (share > (language === 'ja' ? 0.1 : 0.4)) return language;
  }
  const counts = COMMON.map(([language, words]): [string, number] => [
    language,
    sample.match(words)?.length ?? 0,
  ]);
  const [first, second] = counts.sort((a, b) => b[1] - a[1]);
  const words = sample.split(/\s+/).length;
  return first && words > 20 && first[1] > words * 0.06 && first[1] > (second?.[1] ?? 0) * 1.5
    ? first[0]
    : null;
}

/** Finds the page's language: from its declaration, else from its letters and commonest words. */
export function langOf(page: Page, facts: Facts, text: string): string | null {
  const declared =
    page.lang ||
    firstMeta(facts, ['content-language', 'language', 'dc.language', 'og:locale', 'itemprop:inlanguage']);
  return (
    tag(declared) ??
    tag(facts.ld.map((node) => ldText(node.inLanguage)).find(Boolean) ?? '') ??
    byScript(text)
  );
}
