import { type Job, type Parsed, parse } from './parsers.ts';

// This program reads one file, which comes as its input, and ends. The first line of what it writes says what the file
// is, and the rest is its text.

const [kind, until] = process.argv.slice(2);
const bytes = Buffer.concat(await process.stdin.toArray());
const parsed = await parse({ kind: kind as Job['kind'], bytes, until: Number(until) });
const [about, text] = !parsed ? [{ is: 'other' }, ''] : 'problem' in parsed ? [parsed, ''] : apart(parsed);
process.stdout.write(`${JSON.stringify(about)}\n${text}`, () => process.exit());

function apart({ text: whole, ...rest }: Extract<Parsed, { text: string }>) {
  return [rest, whole] as const;
}
