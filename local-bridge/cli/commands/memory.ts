import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import { errorText } from '../../../src/core/error-text.ts';
import { visible } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { counted, withProgress } from '../../lib/long-work.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { complain, detail, done, printJson } from '../../lib/print.ts';
import { entriesBeside } from '../memory/entries-beside.ts';
import {
  checkpointsShape,
  entriesIn,
  exportedCheckpoints,
  exportedEntries,
  exportedLine,
  lockOf,
} from '../memory/export.ts';
import { FilesBeside } from '../memory/files-beside.ts';
import { markdownEntries } from '../memory/markdown-entries.ts';
import { verifyMemory } from '../memory/verify.ts';
import { keepWitness, witnessByKey, witnessOf } from '../memory/witness.ts';

const appendedShape = z.object({ line: z.number(), replayed: z.boolean() });
const tailShape = z.object({ entries: z.array(z.looseObject({ line: z.number(), body: z.string() })) });
const importedShape = z.object({ appended: z.number(), replayed: z.number() });

/** The lines in one import request. */
const LINES_A_REQUEST = 200;
const CHECKING = 'Checking entries';

export function addMemoryCommands(program: Command): void {
  const memory = program.command('memory').description('the append-only memory (as the owner)');
  memory
    .command('append')
    .description('append an entry')
    .argument('<file>', MEMORY_FILES.join(', '), memoryFile)
    .argument('<entry>', 'a JSON object for a .jsonl file, a line of Markdown for the other')
    // Markdown begins its lists with a dash, which is not an option here.
    .allowUnknownOption()
    .addHelpText('after', '\nExample:\n  bowline memory append best_practices.md "- Measure first."')
    .action(append);
  memory
    .command('tail')
    .description('print the last lines of a file')
    .argument('<file>', MEMORY_FILES.join(', '), memoryFile)
    .option('-n, --lines <n>', 'how many, up to 1000', upTo1000, 10)
    .option('--json', 'print them with their numbers and hashes')
    .action(tail);
  memory
    .command('export')
    .description('write the files, and the log that proves them, into a folder')
    .argument('<folder>', 'the folder to write, made if missing')
    .action(exportTo);
  memory
    .command('verify')
    .description('check its chain, lines and signatures, and compare it with what this computer saw before')
    .argument('[log]', 'an exported log.jsonl, instead of the gateway')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      '\nExits with 0 if all is well, 1 if something was changed, 2 if it could not be checked.',
    )
    .action(verify);
  memory
    .command('import')
    .description('import the lines of an existing file, in order, each once')
    .argument('<path>', 'a .jsonl or .md file')
    .option('--file <name>', 'the memory file, if the path has another name', memoryFile)
    .action(importFile);
}

async function append(file: string, entry: string): Promise<void> {
  const answer = await asOwner(requiredGateway(), (owner) =>
    owner.call('POST', 'memory/entries', { file, entry }),
  );
  const { line, replayed } = appendedShape.parse(answer);
  done(replayed ? `It is already there, as line ${line} of ${file}.` : `Appended line ${line} of ${file}.`);
}

async function tail(file: string, { lines, json }: { lines: number; json?: boolean }): Promise<void> {
  const path = `memory/tail?file=${file}&lines=${lines}`;
  const { entries } = tailShape.parse(await asOwner(requiredGateway(), (owner) => owner.call('GET', path)));
  if (json) return printJson({ entries });
  for (const { line, body } of entries) {
    const [first = '', ...more] = body.split('\n').map((text) => visible(text));
    const under = ' '.repeat(`${line}  `.length);
    console.log([`${line}  ${first}`, ...more.map((text) => under + text)].join('\n'));
  }
}

async function exportTo(folder: string): Promise<void> {
  const to = resolve(folder);
  mkdirSync(to, { recursive: true });
  const counts = new Map<string, number>();
  // Start each file empty: an export shows the whole, and does not continue an old one.
  for (const name of ['log.jsonl', ...MEMORY_FILES]) writeFileSync(join(to, name), '');
  await asOwner(requiredGateway(), async (owner) => {
    // Fetch these before the entries: a checkpoint made meanwhile would belong to an entry that is not here.
    const signed = await exportedCheckpoints(owner);
    writeFileSync(join(to, 'checkpoints.json'), `${JSON.stringify(signed, null, 2)}\n`);
    await withProgress(async ({ tell }) => {
      for await (const entry of counted(exportedEntries(owner), tell, 'Exporting entries')) {
        appendFileSync(join(to, 'log.jsonl'), exportedLine(entry));
        appendFileSync(join(to, entry.file), `${entry.body}\n`);
        counts.set(entry.file, (counts.get(entry.file) ?? 0) + 1);
      }
    });
  });
  done(`Exported the memory to ${to}.`);
  for (const name of MEMORY_FILES) detail(name, `${counts.get(name) ?? 0} lines`);
}

async function verify(log: string | undefined, { json }: { json?: boolean }): Promise<void> {
  if (log !== undefined) return verifyExported(resolve(log), json);
  const url = requiredGateway();
  const { verdict, key, locked } = await asOwner(url, async (owner) => {
    const signed = await exportedCheckpoints(owner);
    const verdict = await withProgress(({ tell }) =>
      verifyMemory(counted(exportedEntries(owner), tell, CHECKING), signed, witnessOf(url)),
    );
    return { verdict, key: signed.key, locked: await lockOf(owner) };
  }).catch(couldNotCheck);
  const problems =
    locked === null ? verdict.problems : [...verdict.problems, `The gateway refuses to serve: ${locked}.`];
  report({ ...verdict, problems }, json);
  // Remember only a log without problems, so that a damaged one is never trusted later.
  if (problems.length === 0) {
    const { entries: seq, head, signed } = verdict;
    keepWitness(url, { seq, head, key, signed });
  }
}

async function verifyExported(path: string, json: boolean | undefined): Promise<void> {
  try {
    const signed = checkpointsShape.parse(
      JSON.parse(readFileSync(join(path, '..', 'checkpoints.json'), 'utf8')),
    );
    const beside = new FilesBeside();
    const witness = witnessByKey(signed.key);
    const verdict = await withProgress(({ tell }) =>
      verifyMemory(beside.watch(counted(entriesIn(path), tell, CHECKING)), signed, witness, {
        mayBeOlder: true,
      }),
    );
    // After a break the log proves nothing, so do not compare the files with it.
    const ofFiles = verdict.problems.length === 0 ? await beside.problems(dirname(path)) : [];
    report({ ...verdict, problems: [...verdict.problems, ...ofFiles] }, json);
  } catch (error) {
    couldNotCheck(error);
  }
}

function report(
  verdict: { entries: number; head: string; signed: number; problems: readonly string[] },
  json: boolean | undefined,
): void {
  if (json) printJson(verdict);
  else if (verdict.problems.length === 0) {
    done(`${verdict.entries} entries, unbroken; ${verdict.signed} signed checkpoints.`);
    detail('Head', verdict.head);
  } else {
    for (const problem of verdict.problems) complain(problem);
  }
  process.exitCode = verdict.problems.length === 0 ? EXIT.done : EXIT.failed;
}

function couldNotCheck(error: unknown): never {
  const why = errorText(error);
  throw new CliError(
    `The memory could not be checked: ${why}`,
    error instanceof CliError ? error.suggestion : undefined,
    EXIT.usage,
  );
}

async function importFile(path: string, { file }: { file?: string }): Promise<void> {
  const target = file ?? memoryFile(basename(path));
  const seen = new Map<string, number>();
  const text = fileText(path);
  const entries = target.endsWith('.md')
    ? ((await entriesBeside(path, target, text)) ?? markdownEntries(text))
    : text.split(/\r?\n/).filter(Boolean);
  const lines = entries.map((entry) => {
    const nth = (seen.get(entry) ?? 0) + 1;
    seen.set(entry, nth);
    return { text: entry, nth };
  });
  let appended = 0;
  let replayed = 0;
  await asOwner(requiredGateway(), (owner) =>
    withProgress(async ({ tell }) => {
      for (let at = 0; at < lines.length; at += LINES_A_REQUEST) {
        tell('Importing', at, lines.length);
        const batch = { file: target, lines: lines.slice(at, at + LINES_A_REQUEST) };
        const answer = importedShape.parse(await owner.call('POST', 'memory/import', batch));
        appended += answer.appended;
        replayed += answer.replayed;
      }
    }),
  );
  const unit = target.endsWith('.md') ? 'entries' : 'lines';
  done(`Imported ${appended} ${unit} into ${target}. ${replayed} were already there.`);
}

function fileText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(`${path} is not UTF-8 text.`, 'Save it as UTF-8 and import it again.');
  }
}

function memoryFile(name: string): string {
  if (MEMORY_FILES.some((known) => known === name)) return name;
  throw new InvalidArgumentError(`The memory's files are ${MEMORY_FILES.join(', ')}.`);
}

function upTo1000(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new InvalidArgumentError('Give a number from 1 to 1000.');
}
