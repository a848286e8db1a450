import { plainText } from './measure.ts';
import { words } from './strip.ts';
import type { El } from './tree.ts';

/** Parts of a page that are only for readers who listen, or only for readers who look. */

const SCREEN_READER =
  /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-text|-only)?|visuallyhidden|assistive-text|a11y-hidden|u-hidden-visually)(?:$|[\s_-])/;

export const isForListeners = ({ names }: El): boolean => names !== '' && SCREEN_READER.test(names);

/** Tells whether a page hides an element from those who listen. Most such elements are drawings, or closed. */
export const isSilent = ({ attrs, tag }: El): boolean => attrs['aria-hidden'] === 'true' && tag !== 'i';

const SLIDES = words('carousels?|sliders?|slideshow|slides?|swiper|slick|splide|glide|embla|flickity|owl');
/** The copies with which an endless carousel joins its ends. */
const CLONE = words('clones?|cloned|duplicate');
const SLIDE_LEVELS = 4;
/** More slides than anyone goes through. */
const MOST_SLIDES = 100;

/** Tells whether an element is one of several slides with sentences, which readers see when they go on to it. */
export function isSlide({ up, prose, names, tag }: El): boolean {
  if (prose === 0 || !up || up.kids.length > MOST_SLIDES || CLONE.test(names)) return false;
  if (up.kids.filter((kid) => typeof kid !== 'string' && kid.tag === tag).length < 2) return false;
  if (names !== '' && SLIDES.test(names)) return true;
  let at: El | null = up;
  for (let level = 1; at && level < SLIDE_LEVELS; level++, at = at.up)
    if (at.names !== '' && SLIDES.test(at.names)) return true;
  return false;
}

const PRICE = /[$€£¥₹]\s?\d|\d\s?[€£¥₹]/;
const LONGEST_PRICE = 60;
/** More elements than stand around one price. */
const MOST_BESIDE = 12;

/** Tells whether an element is a price that listeners hear elsewhere, unless what stands beside it shows it too. */
export function isPrice(el: El): boolean {
  const { up, chars } = el;
  if (chars < 2 || chars > LONGEST_PRICE || !up || up.kids.length > MOST_BESIDE) return false;
  const amount = plainText(el);
  if (!PRICE.test(amount)) return false;
  const digits = amount.replace(/\D/g, '');
  return !up.kids.some(
    (kid) =>
      typeof kid !== 'string' &&
      kid !== el &&
      kid.chars < LONGEST_PRICE &&
      !isForListeners(kid) &&
      plainText(kid).replace(/\D/g, '').includes(digits),
  );
}
