import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { rgPath } from '@vscode/ripgrep';
import { listDir, readFile } from '../contracts/files.ts';
import { fileSearch, grepSearch } from '../contracts/find.ts';
import { readHandlers } from '../local-bridge/tools/handlers/files.ts';
import { findHandlers } from '../local-bridge/tools/handlers/find.ts';
import { QUIET_MS } from '../local-bridge/tools/search/warm-list.ts';
import { makeWarmLists } from '../local-bridge/tools/search/warm-lists.ts';
import { nodeDisk } from '../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../local-bridge/tools/workspace/workspace.ts';
import { admitWithoutGate, NO_LEDGER } from '../src/core/admit.ts';
import type { Caller } from '../src/core/call.ts';
import { toolSet } from '../src/core/tools.ts';
import { figure, RUNS } from './support/figures.ts';
import { desktopCommander, type Peer, searchToTheEnd, serverFilesystem } from './support/peers.ts';
import { type Contender, medians } from './support/rounds.ts';
import { realTree } from './support/tree.ts';

/**
 * Finds, searches, reads and lists on a tree of real source text. Compares Bowline's handlers through its door,
 * ripgrep alone with the same question, and other servers over stdio, in turns.
 */
const FILES = Number(process.env.BENCH_FILES ?? 50_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
/** For work that takes other servers seconds. */
const SLOW_ROUNDS = Number(process.env.BENCH_SLOW_ROUNDS ?? 3);

const root = realTree(FILES);
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
const workspace = openWorkspace([{ path: root }]);
const caller: Caller = {
  principal: 'bench',
  client: 'bench',
  via: 'stdio',
  scopes: new Set(['read', 'write', 'machine']),
};
const report = (error: unknown) => console.error(error);
const warm = makeWarmLists({ workspace, report, pauseMs: 0 });
const toolsWith = (more: { warm?: typeof warm }) =>
  toolSet(
    { file_search: fileSearch, grep_search: grepSearch, read_file: readFile, list_dir: listDir },
    { ...findHandlers, ...readHandlers },
    { ...NO_LEDGER, newCallId: () => 'call', admit: admitWithoutGate, report },
    { workspace, disk: nodeDisk, ...more },
  );
const tools = toolsWith({});
const warmed = toolsWith({ warm });
const peers: Peer[] = [await serverFilesystem(root)];
// Only what has a row is measured several times.
const commander = RUNS === 1 ? await desktopCommander() : undefined;
if (commander) peers.push(commander);

const bowline = (tool: string, args: object, side = tools): Contender => ({
  name: 'Bowline',
  run: async () => {
    const result = await side.get(tool)?.call(args, caller);
    if (result?.kind !== 'ok') throw new Error(JSON.stringify(result));
  },
});

const SAME = ['--no-config', '--hidden', '--glob=!.git', '--color=never'];
/** Runs ripgrep alone and drops its output. Stops where the answer ends, if that is earlier. */
const raw = (args: readonly string[], lines = Number.POSITIVE_INFINITY): Contender => ({
  name: 'rg',
  run: async () => {
    const child = spawn(rgPath, [...SAME, ...args, './'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    let seen = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      if (lines === Number.POSITIVE_INFINITY) return;
      seen += chunk.toString('latin1').split('\n').length - 1;
      if (seen > lines) child.kill('SIGKILL');
    });
    await once(child, 'close');
  },
});
const asks = (name: string, tool: string, args: Record<string, unknown>): Contender[] =>
  peers.filter((peer) => peer.name === name).map((peer) => ({ name, run: () => peer.call(tool, args) }));

const LINES = ['--line-number', '--no-heading', '--max-columns=500'];
const grep = (pattern: string, isRegex: boolean, lines?: number): Contender[] => [
  raw([...LINES, ...(isRegex ? [] : ['--fixed-strings']), `--regexp=${pattern}`], lines),
  bowline('grep_search', { pattern, is_regex: isRegex, max_results: 1_000 }),
];
const find = (pattern: string, rg: readonly string[]): Contender[] => [
  raw(['--files', ...rg]),
  bowline('file_search', { pattern }),
  { ...bowline('file_search', { pattern }, warmed), name: 'Bowline, warm' },
];

const file = 'package-0/typescript/package.json';
const folder = 'package-0';
const quick: Record<string, Contender[]> = {
  'file_search, all': find('**/*', []),
  'file_search, common': find('**/*.d.ts', ['--glob=*.d.ts']),
  'file_search, rare': find('**/tsconfig.json', ['--glob=tsconfig.json']),
  'grep_search, no match': grep('no such text anywhere', false),
  'grep_search, literal, rare': grep('getOwnPropertyDescriptors', false, 1_000),
  'grep_search, literal, common': grep('import', false, 1_000),
  'grep_search, regex, rare': grep('export\\s+async\\s+function\\s+\\w+z\\b', true, 1_000),
  'grep_search, regex, common': grep('\\bconst\\s+\\w+\\s*=', true, 1_000),
  read_file: [
    bowline('read_file', { path: file }),
    ...asks('server-filesystem', 'read_text_file', { path: join(root, file) }),
    ...asks('desktop-commander', 'read_file', { path: join(root, file) }),
  ],
  list_dir: [
    bowline('list_dir', { path: folder }),
    ...asks('server-filesystem', 'list_directory', { path: join(root, folder) }),
    ...asks('desktop-commander', 'list_directory', { path: join(root, folder), depth: 1 }),
  ],
};
const commanders = (searchType: string, pattern: string): Contender[] => {
  const args = { path: root, pattern, searchType, maxResults: 1_000, timeout_ms: 120_000 };
  const plain = { ...args, literalSearch: true, ignoreCase: false, contextLines: 0, earlyTermination: false };
  return commander ? [{ name: commander.name, run: () => searchToTheEnd(commander, plain) }] : [];
};
const slow: Record<string, Contender[]> = {
  'file_search, rare': [
    bowline('file_search', { pattern: '**/tsconfig.json' }),
    ...asks('server-filesystem', 'search_files', { path: root, pattern: '**/tsconfig.json' }),
    ...commanders('files', 'tsconfig.json'),
  ],
  'grep_search, literal, common': [
    bowline('grep_search', { pattern: 'import', max_results: 1_000 }),
    ...commanders('content', 'import'),
  ],
};

// A list is made only of a tree that has been quiet for a while.
await setTimeout(QUIET_MS + 500);
await warmed.get('file_search')?.call({ pattern: '**/*' }, caller);
await warm.settled();
const [opened] = workspace.roots;
console.log(`The warm list is ${opened && warm.current(opened) ? 'there' : 'missing'}.\n`);
for (let run = 0; run < RUNS; run++)
  await compare(`${FILES} files, medians of ${ROUNDS} rounds in ms; the others over stdio`, quick, ROUNDS);
if (RUNS === 1) await compare(`against other servers, ${SLOW_ROUNDS} rounds`, slow, SLOW_ROUNDS);

for (const peer of peers) await peer.close();
await warm.close();
workspace.close();

async function compare(title: string, work: Record<string, Contender[]>, rounds: number): Promise<void> {
  console.log(`${title}\n\n| what | Bowline | others | Bowline / other |\n|---|---|---|---|`);
  const worst = new Map<string, number>();
  for (const [what, contenders] of Object.entries(work)) {
    const times = await medians(contenders, rounds);
    const all = contenders.map(({ name }, i) => ({ name, ms: times[i] ?? Number.NaN }));
    const others = all.filter(({ name }) => !name.startsWith('Bowline'));
    for (const { name, ms: ours } of all.filter((one) => one.name.startsWith('Bowline'))) {
      const said = others.map((other) => `${other.name} ${other.ms.toFixed(1)}`).join(', ');
      const ratios = others.map(({ ms }) => `${(ours / ms).toFixed(2)}×`).join(', ');
      const which = name === 'Bowline' ? what : `${what}, warm`;
      console.log(`| ${which} | ${ours.toFixed(1)} | ${said || '–'} | ${ratios || '–'} |`);
      const alone = others.find((other) => other.name === 'rg');
      const row = rowOf(which);
      if (alone && row) worst.set(row, Math.max(worst.get(row) ?? 0, ours / alone.ms));
    }
  }
  for (const [row, ratio] of worst) figure(row, ratio);
  console.log('');
}

/** Names the row of docs/performance.md that a question belongs to. A row shows the worst of its questions. */
function rowOf(question: string): string | undefined {
  const [tool] = question.split(', ');
  if (tool === 'file_search')
    return `\`file_search\`, 50,000 files, ${question.endsWith(', warm') ? 'from a warm list' : 'cold'}`;
  if (tool !== 'grep_search') return undefined;
  return question.endsWith(', common')
    ? '`grep_search`, stopped at 1,000 hits'
    : '`grep_search`, 50,000 files, to the end';
}
