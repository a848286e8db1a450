import { type Job, type Parsed, parse } from './parsers.ts';

// This program reads one file, which comes as its input, and ends. The first line of what it writes says what the file
// is, and the rest is its text, or the picture.

const [kind, until] = process.argv.slice(2);
const bytes = Buffer.concat(await process.stdin.toArray());
const [about, body] = apart(await parse({ kind: kind as Job['kind'], bytes, until: Number(until) }));
process.stdout.write(Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), body]), () => process.exit());

function apart(parsed: Parsed | undefined): readonly [about: object, body: Buffer] {
  if (!parsed) return [{ is: 'other' }, Buffer.alloc(0)];
  if ('problem' in parsed) return [parsed, Buffer.alloc(0)];
  if ('picture' in parsed) {
    const { bytes: body, ...sides } = parsed.picture;
    return [{ kind: parsed.kind, ...sides }, body];
  }
  const { text, ...rest } = parsed;
  return [rest, Buffer.from(text)];
}
