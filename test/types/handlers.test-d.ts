import * as z from 'zod';
import { readsOnly, tool } from '../../contracts/contract.ts';
import type { Handler } from '../../src/core/handler.ts';
import type { Door } from '../../src/core/invoke.ts';
import type { Previewer } from '../../src/core/preview.ts';
import { toolSet } from '../../src/core/tools.ts';

// Compiled, never run: each `@ts-expect-error` is itself an error as soon as the line below it compiles.

const lend = tool({
  name: 'shelf.lend',
  title: 'Lend a book',
  description: 'Exists only in tests.',
  runsOn: 'gateway',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 10, timeoutMs: 1_000 },
  hints: readsOnly,
  input: z.strictObject({ title: z.string(), weeks: z.int().default(2), reader: z.string().optional() }),
  output: z.strictObject({ due: z.string(), warning: z.string().optional() }),
  errors: { lent_out: { status: 409, message: 'Lent out.', suggestion: 'Wait.' } },
  inputErrors: { title: 'lent_out' },
  examples: [{ about: 'lends', input: { title: 'a' }, output: { due: 'tomorrow' } }],
});
const close = tool({ ...lend, name: 'shelf.close' });
const pages = tool({
  ...lend,
  input: z.strictObject({ pages: z.int() }),
  inputErrors: {},
  examples: [{ about: 'l', input: { pages: 1 }, output: { due: 'tomorrow' } }],
});

type Lend = Handler<typeof lend, { today: string }>;
type Close = Handler<typeof close, { today: string }>;

// What a handler is written like: everything below departs from this in one point.
export const good: Lend = ({ title, weeks, reader }, call, { today }) => {
  const all: [string, number, string | undefined] = [title, weeks, reader];
  if (all[1] > 9) return call.fail('lent_out', { message: 'Too long.', retryAfter: 60 });
  return call.ok({ due: today, warning: 'It is heavy.' }, { meta: { engine: 'rules' } });
};
export const goodLater: Lend = async (_, call) => call.ok({ due: 'tomorrow' });
const goodClose: Close = (_, call) => call.ok({ due: 'never' });

declare const door: Door;
const ports = { today: '2026-01-09' };
const both = { lend, close };

export const complete = toolSet(both, { lend: good, close: goodClose }, door, ports);

// @ts-expect-error a contract without a handler
export const missing = toolSet(both, { lend: good }, door, ports);

// @ts-expect-error a handler without a contract
export const unknown = toolSet({ lend }, { lend: good, close: goodClose }, door, ports);

// @ts-expect-error a handler under a misspelt name
export const misspelt = toolSet({ lend }, { lnd: good }, door, ports);

const lendsPages: Handler<typeof pages, { today: string }> = (_, call) => call.ok({ due: 'tomorrow' });
// @ts-expect-error a handler of another contract
export const swapped = toolSet({ lend }, { lend: lendsPages }, door, ports);

// @ts-expect-error ports that the handlers do not work with
export const portless = toolSet(both, { lend: good, close: goodClose }, door, { tomorrow: '' });

// @ts-expect-error an error code that the contract lacks
export const wrongCode: Lend = (_, call) => call.fail('lost');

// @ts-expect-error an error code of the door, which is not the tool's to give
export const doorCode: Lend = (_, call) => call.fail('rate_limited');

// @ts-expect-error a misspelt output key, beside all the right ones
export const extraKey: Lend = (_, call) => call.ok({ due: 'tomorrow', deu: 'tomorrow' });

// @ts-expect-error a misspelt output key, in place of the right one
export const misspeltKey: Lend = (_, call) => call.ok({ deu: 'tomorrow' });

// @ts-expect-error a misspelt optional output key
export const misspeltOptional: Lend = (_, call) => call.ok({ due: 'tomorrow', waring: 'It is heavy.' });

// @ts-expect-error a missing output key
export const missingKey: Lend = (_, call) => call.ok({ warning: 'It is heavy.' });

// @ts-expect-error an output value of the wrong type
export const wrongValue: Lend = (_, call) => call.ok({ due: 7 });

// @ts-expect-error a misspelt output key in a result made by hand
export const byHand: Lend = () => ({ kind: 'ok', output: { deu: 'tomorrow' } });

// @ts-expect-error an output key that the promise of a handler lacks
export const laterWrong: Lend = async (_, call) => call.ok({ warning: 'It is heavy.' });

// @ts-expect-error a misspelt input field
export const wrongField: Lend = ({ tilte }, call) => call.ok({ due: String(tilte) });

// @ts-expect-error an optional input field taken for granted
export const taken: Lend = ({ reader }, call) => call.ok({ due: reader });

// @ts-expect-error nothing at all
export const nothing: Lend = () => {};

// @ts-expect-error an input error whose code the contract lacks
tool({ ...lend, inputErrors: { title: 'lost' } });

// @ts-expect-error an example that lacks an output key
tool({ ...lend, examples: [{ about: 'lends', input: { title: 'a' }, output: {} }] });

// @ts-expect-error a contract without examples
tool({ ...lend, examples: [] });

// @ts-expect-error a risk that is none
tool({ ...lend, risk: 'harmless' });

// @ts-expect-error hints that leave one of the four out
tool({ ...lend, hints: { readOnly: true, destructive: false, idempotent: true } });

const shown = tool({ ...lend, name: 'shelf.show', hasPreview: true });
const lookAtLend: Previewer<typeof shown, { today: string }> = () => ({ kind: 'none', why: 'Never.' });
const withShown = { lend, shown };
const goodShown: Handler<typeof shown, { today: string }> = (_, call) => call.ok({ due: 'today' });
const handlers = { lend: good, shown: goodShown };
export const previewed = toolSet(withShown, handlers, door, ports, { shown: lookAtLend });

// @ts-expect-error a contract that promises a preview, and no previewers
export const unseen = toolSet(withShown, handlers, door, ports);

// @ts-expect-error a contract that promises a preview without a previewer
export const blind = toolSet(withShown, handlers, door, ports, {});

// @ts-expect-error a previewer of a contract that promises none
export const overseen = toolSet(withShown, handlers, door, ports, { shown: lookAtLend, lend: lookAtLend });
