import { atOnce, inTurns } from '../src/core/steps.ts';
import { cleaning } from '../src/transcript/clean.ts';
import { readPdf } from '../src/web/pdf.ts';
import { reading } from '../src/web/read/read.ts';
import { pdfOf } from '../test/support/pdf.ts';
import { medians } from './support/rounds.ts';

/**
 * Measures how long the longest inputs hold their thread at a stretch, in processor time, and what it costs to let
 * others run in between: the time in steps over the time in one go, in turns.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);

const row = `<tr>${'<td>cell of a table</td>'.repeat(8)}</tr>`;
const head = '<title>t</title><h1>Tables</h1><p>Some words before the tables.</p>';
const bytesOf = (text: string) => new TextEncoder().encode(text);
const many = bytesOf(
  head + `<table>${row.repeat(50)}</table>`.repeat(Math.floor(4_900_000 / row.length / 50)),
);
const one = bytesOf(`${head}<table>${row.repeat(Math.floor(4_900_000 / row.length))}</table>`);
const page = (bytes: Uint8Array) => () =>
  reading({ bytes, contentType: 'text/html', url: 'https://a.example/' }, { format: 'markdown' });

const stamp = (second: number) => new Date(second * 1_000).toISOString().slice(11, 23);
const cue = (i: number) =>
  `${stamp(i * 2)} --> ${stamp(i * 2 + 2)}\nso this is what we said, number ${i}, and a little more of it.\n`;
const captions = `WEBVTT\n\n${Array.from({ length: 11_000 }, (_, i) => cue(i)).join('\n')}`.slice(
  0,
  1_000_000,
);

const lines = Array.from({ length: 30 }, (_, i) => `line ${i} of a page with some words`).join(
  ') Tj 0 -14 Td (',
);
const pdf = pdfOf(Array.from({ length: 500 }, (_, i) => `page ${i} ${lines}`));

const spent = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Gives the longest stretch without a turn for others, in ms of processor time. */
async function longest(work: () => Promise<unknown>): Promise<number> {
  let [most, since, goesOn] = [0, spent(), true];
  const turn = () => {
    most = Math.max(most, spent() - since);
    since = spent();
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  goesOn = false;
  turn();
  return most;
}

async function best(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await longest(work));
  return least;
}

const stepped = {
  'a page of tables, 4.9 MB': { make: page(many), length: many.length },
  'a page of one table, 4.9 MB': { make: page(one), length: one.length },
  'a transcript, 1 MB': { make: () => cleaning(captions), length: captions.length },
};
console.log('| what | at a stretch, ms | in one go, ms | time in steps / in one go |\n|---|---|---|---|');
for (const [what, { make, length }] of Object.entries(stepped)) {
  const inOne = async () => atOnce<unknown>(make());
  const inSteps = () => inTurns<unknown>(make(), length);
  const [whole = Number.NaN, steps = Number.NaN] = await medians(
    [
      { name: 'in one go', run: inOne },
      { name: 'in steps', run: inSteps },
    ],
    ROUNDS,
  );
  const cells = [
    (await best(inSteps)).toFixed(0),
    (await best(inOne)).toFixed(0),
    (steps / whole).toFixed(2),
  ];
  console.log(`| ${what} | ${cells.join(' | ')} |`);
}
const readAll = () => readPdf(new Uint8Array(pdf), Date.now() + 60_000);
await readAll();
console.log(`| a PDF of 500 pages, after the first one | ${(await best(readAll)).toFixed(0)} | – | – |`);
