import { type Facts, type LdNode, ldText, ldTypes } from './facts.ts';

/** One thing that a page describes for machines: a recipe, a product, an event. */
export interface Structured {
  readonly type: string;
  readonly [property: string]: string | string[];
}

const MOST_THINGS = 20;
const MOST_ENTRIES = 60;
const LONGEST_ENTRY = 600;
/** All that one page may say in this way. */
const MOST_CHARS = 12_000;

const isNode = (value: unknown): value is LdNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const all = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat());
const short = (text: string) => text.slice(0, LONGEST_ENTRY);
const said = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : short(ldText(value));
const entries = (value: unknown, write: (each: unknown) => string = said): string[] =>
  all(value).slice(0, MOST_ENTRIES).map(write).filter(Boolean);
/** Writes `https://schema.org/InStock` as `InStock`. */
const word = (value: unknown) => said(value).replace(/^https?:\/\/schema\.org\//, '');

const in_ = (value: unknown, key: string): unknown => (isNode(value) ? value[key] : undefined);

function priceOf(offer: unknown): string {
  if (!isNode(offer)) return '';
  const spec = all(offer.priceSpecification)[0];
  const low = said(offer.price ?? offer.lowPrice ?? in_(spec, 'price'));
  const high = said(offer.highPrice);
  const currency = said(offer.priceCurrency ?? in_(spec, 'priceCurrency'));
  const range = high && high !== low ? `${low}–${high}` : low;
  return range ? `${range} ${currency}`.trim() : '';
}

function ratingOf(value: unknown): string {
  if (!isNode(value)) return '';
  const stars = said(value.ratingValue);
  const count = said(value.reviewCount ?? value.ratingCount);
  if (stars === '') return '';
  return `${stars} of ${said(value.bestRating) || '5'}${count ? `, ${count} ratings` : ''}`;
}

function placeOf(value: unknown): string {
  const [place] = all(value);
  if (typeof place === 'string') return short(ldText(place));
  const address = in_(place, 'address') ?? in_(place, 'url');
  const parts = isNode(address)
    ? ['streetAddress', 'postalCode', 'addressLocality', 'addressRegion', 'addressCountry'].map((key) =>
        said(address[key]),
      )
    : [said(address)];
  return short([said(in_(place, 'name')), ...parts].filter(Boolean).join(', '));
}

const stepsOf = (value: unknown): string[] =>
  all(value)
    .flatMap((step) => (isNode(step) && step.itemListElement ? all(step.itemListElement) : [step]))
    .slice(0, MOST_ENTRIES)
    .map((step) => (isNode(step) ? said(step.text ?? step.name) : said(step)))
    .filter(Boolean);

const answered = (question: unknown): string => {
  if (!isNode(question)) return '';
  const answers = [...all(question.acceptedAnswer), ...all(question.suggestedAnswer)].slice(0, 3);
  const asked = said(question.name) || said(question.text);
  return asked ? [asked, ...answers.map((each) => said(in_(each, 'text')))].filter(Boolean).join(' → ') : '';
};

type Read = (node: LdNode) => Record<string, string | string[]>;
const offersOf = (node: LdNode) => {
  const offers = all(node.offers).slice(0, MOST_ENTRIES);
  const prices = [...new Set(offers.map(priceOf).filter(Boolean))];
  const available = [...new Set(offers.map((each) => word(in_(each, 'availability'))).filter(Boolean))];
  return { price: prices.slice(0, 10), availability: available.slice(0, 5) };
};

/** The fields to take from each type of thing. */
const READERS: readonly (readonly [RegExp, Read])[] = [
  [
    /^Recipe$/,
    (node) => ({
      ingredients: entries(node.recipeIngredient ?? node.ingredients),
      steps: stepsOf(node.recipeInstructions),
      yield: said(node.recipeYield),
      time: said(node.totalTime),
    }),
  ],
  [
    /^(?:Product|ProductGroup|IndividualProduct|Vehicle|SoftwareApplication|MobileApplication|Book|Course)$/,
    (node) => ({
      ...offersOf(node),
      brand: said(node.brand),
      sku: said(node.sku),
      rating: ratingOf(node.aggregateRating),
      description: said(node.description),
    }),
  ],
  [
    /^\w{0,40}Event$|^Festival$/,
    (node) => ({
      starts: said(node.startDate),
      ends: said(node.endDate),
      place: placeOf(node.location),
      status: word(node.eventStatus),
      organizer: said(node.organizer),
      ...offersOf(node),
      description: said(node.description),
    }),
  ],
  [
    /^VideoObject$/,
    (node) => ({
      uploaded: said(node.uploadDate),
      duration: said(node.duration),
      description: said(node.description),
      transcript: said(node.transcript),
    }),
  ],
  [
    /^(?:FAQPage|QAPage)$/,
    (node) => ({ questions: all(node.mainEntity).slice(0, MOST_ENTRIES).map(answered).filter(Boolean) }),
  ],
  [
    /^JobPosting$/,
    (node) => ({
      employer: said(node.hiringOrganization),
      place: placeOf(node.jobLocation) || word(node.jobLocationType),
      kind: entries(node.employmentType).join(', '),
      salary: salaryOf(node.baseSalary),
      posted: said(node.datePosted),
      until: said(node.validThrough),
      description: said(node.description),
    }),
  ],
  [/^HowTo$/, (node) => ({ steps: stepsOf(node.step) })],
];

function salaryOf(value: unknown): string {
  if (!isNode(value)) return said(value);
  const amount = isNode(value.value) ? value.value : value;
  const range =
    [said(amount.minValue), said(amount.maxValue)].filter(Boolean).join('–') || said(amount.value);
  return range ? [range, said(value.currency), word(amount.unitText)].filter(Boolean).join(' ') : '';
}

/** Reads the things that the page's JSON-LD describes, within limits. */
export function structuredOf({ ld }: Facts): Structured[] {
  const found: Structured[] = [];
  let left = MOST_CHARS;
  for (const node of ld) {
    if (found.length >= MOST_THINGS || left <= 0) break;
    const reader = ldTypes(node)
      .map((type) => [type, READERS.find(([types]) => types.test(type))?.[1]] as const)
      .find(([, read]) => read);
    const read = reader?.[1];
    if (!reader || !read) continue;
    const properties = Object.entries({ name: said(node.name), ...read(node) }).filter(
      ([, value]) => value.length > 0,
    );
    const size = JSON.stringify(properties).length;
    if (properties.length < 2 && !properties.some(([key]) => key === 'questions')) continue;
    left -= size;
    if (left < 0) continue;
    found.push({ type: reader[0], ...Object.fromEntries(properties) });
  }
  return found;
}

/** Writes those things as text, for a page whose own text a script would make. */
export function structuredText(things: readonly Structured[]): string {
  return things
    .map((thing) =>
      Object.entries(thing)
        .filter(([key]) => key !== 'type')
        .map(([key, value]) =>
          key === 'name' || key === 'description'
            ? String(value)
            : Array.isArray(value)
              ? [`${key}:`, ...value.map((each) => `- ${each}`)].join('\n')
              : `${key}: ${value}`,
        )
        .join('\n\n'),
    )
    .join('\n\n');
}
