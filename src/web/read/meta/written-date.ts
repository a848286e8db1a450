const MONTHS = new Map(
  [
    'jan feb mar apr may jun jul aug sep oct nov dec',
    'january february march april may june july august september october november december',
    'januar februar märz april mai juni juli august september oktober november dezember',
    'jänner feber maerz apr may june july aug sept okt nov dez',
    'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
    'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
    'januari februari maart april mei juni juli augustus september oktober november december',
    'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
    'января февраля марта апреля мая июня июля августа сентября октября ноября декабря',
  ].flatMap((names) => names.split(' ').map((name, month): [string, number] => [name, month + 1])),
);

const two = (n: number) => String(n).padStart(2, '0');

const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Writes a day as ISO 8601, if there is such a day. */
export function ymd(year: number, month: number, day: number): string | null {
  const real =
    year > 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return real ? `${year}-${two(month)}-${two(day)}` : null;
}

/** Gives a month's number by its name in one of a dozen languages. */
export const monthOf = (name: string) => MONTHS.get(name.toLowerCase().replace(/\.$/, ''));

/** Writes a time zone as ISO 8601 does. */
function zone(text: string | undefined): string {
  if (!text) return '';
  if (/^(?:z|utc|gmt)$/i.test(text)) return 'Z';
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  return `${sign}${hours}:${minutes}`;
}

/** True if a date of numbers alone, such as 3/4/2020, starts with its day. */
export type DayFirst = boolean;

/** Brings a machine's date into ISO 8601 and keeps its zone. */
export function isoDate(text: string, dayFirst: DayFirst = false): string | null {
  const plain = text.trim();
  const iso =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?:[.,]\d+)?\s*(z|utc|gmt|[+-][01]\d:?[0-5]\d|[+-][01]\d)?)?/i.exec(
      plain,
    );
  if (iso) {
    const day = ymd(Number(iso[1]), Number(iso[2]), Number(iso[3]));
    if (!day || !iso[4] || Number(iso[4]) > 23) return day;
    return `${day}T${two(Number(iso[4]))}:${iso[5]}:${iso[6] ?? '00'}${zone(iso[7])}`;
  }
  const packed = /^(\d{4})[/.]?(\d{2})[/.]?(\d{2})(?:$|[T\s])/.exec(plain);
  if (packed) return ymd(Number(packed[1]), Number(packed[2]), Number(packed[3]));
  if (/^\d{10}(?:\d{3})?$/.test(plain)) {
    const at = new Date(Number(plain) * (plain.length === 10 ? 1_000 : 1));
    return `${at.toISOString().slice(0, 19)}Z`;
  }
  return writtenDate(plain, dayFirst);
}

/** Finds a date as people write it in a line of text. */
export function writtenDate(text: string, dayFirst: DayFirst = false): string | null {
  const day =
    /(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?\s*(?:de\s+|of\s+)?([\p{L}]{3,12})\.?,?\s*(?:de\s+|del\s+)?(\d{4})(?!\d)/u.exec(
      text,
    );
  const byDay = day && monthOf(day[2] ?? '');
  if (day && byDay) return ymd(Number(day[3]), byDay, Number(day[1]));
  const month = /([\p{L}]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?(\d{4})(?!\d)/u.exec(text);
  const byMonth = month && monthOf(month[1] ?? '');
  if (month && byMonth) return ymd(Number(month[3]), byMonth, Number(month[2]));
  const yearFirst = /(?:^|[^\d])(\d{4})[\s-]([\p{L}]{3,12})\.?[\s-](\d{1,2})(?!\d)/u.exec(text);
  const byYear = yearFirst && monthOf(yearFirst[2] ?? '');
  if (yearFirst && byYear) return ymd(Number(yearFirst[1]), byYear, Number(yearFirst[3]));
  const year = /(?:^|[^\d])(\d{4})\s*[-/.年년]\s*(\d{1,2})\s*[-/.月월]\s*(\d{1,2})(?!\d)/.exec(text);
  if (year) return ymd(Number(year[1]), Number(year[2]), Number(year[3]));
  const numbers = /(?:^|[^\d])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?!\d)/.exec(text);
  if (!numbers) return null;
  const [first, second] = [Number(numbers[1]), Number(numbers[3])];
  // 3/4/2020 can mean both, unless one number is too large for a month. With dots the day always comes first.
  const starts = first > 12 || (second <= 12 && (dayFirst || numbers[2] === '.'));
  return starts ? ymd(Number(numbers[4]), second, first) : ymd(Number(numbers[4]), first, second);
}

/** English is written both ways. In these of its countries the day comes first. */
const ENGLISH_DAY_FIRST = /^en-(?!us|ca|ph)[a-z]{2}$/i;
const DAY_FIRST_HOST = /^https?:\/\/[^/]*\.(?:uk|au|nz|ie|in|za)(?::\d+)?(?:\/|$)/i;

/**
 * Tells whether dates start with the day. Only Americans put the month first, so the day comes first in other
 * languages and other English countries.
 */
export const startsWithDay = (lang: string, url: string): DayFirst =>
  /^(?:en|en-us)?$/i.test(lang.trim().replace('_', '-'))
    ? DAY_FIRST_HOST.test(url)
    : !/^en/i.test(lang) || ENGLISH_DAY_FIRST.test(lang.trim().replace('_', '-'));
