import { change, isOk, type Job, type Lane } from './lane.ts';
import { COMMITTED, TRACKED } from './prepare.ts';
import { MACHINE } from './product.ts';
import type { Random } from './random.ts';
import { readTerminal, typeInTerminal } from './terminal-jobs.ts';
import { undo } from './undo-job.ts';

const MEMORY = ['progress_log.jsonl', 'decisions.jsonl', 'best_practices.md'] as const;
const MODEL = 'mlx-community/Llama-3.2-3B-Instruct-4bit';
const MARKS = 'marks';
const MAX_FILLER = 4_000;

function newFile(token: string, { whole }: Random): string {
  return `${token}\n${`${token} filler\n`.repeat(whole(MAX_FILLER))}`;
}

const remember: Job = async (lane) => {
  const file = lane.random.pick(MEMORY);
  const known = change(lane);
  const entry = { timestamp: new Date().toISOString(), type: 'soak', what: known.token };
  const body = file.endsWith('.md') ? `- ${known.token}` : JSON.stringify(entry);
  const record = await lane.send({
    ...{ ...known, tool: 'write_memory_entry', effect: { on: 'memory', file, body } },
    input: { file, entry: body },
  });
  if (isOk(record)) lane.remembered = { file, body };
};

const createFile: Job = async (lane) => {
  const known = change(lane);
  const [path, to] = [`made/${known.token}.txt`, newFile(known.token, lane.random)];
  const input = { path, content: to };
  const record = await lane.send({ ...known, tool: 'create_file', input, effect: { on: 'file', path, to } });
  if (isOk(record)) lane.known = { path, content: to };
};

const editFiles: Job = (lane) => {
  const known = change(lane);
  const [path, to] = [`made/${known.token}.md`, newFile(known.token, lane.random)];
  const edits = [
    { op: 'create', path, text: 'first\n' },
    { op: 'overwrite', path, text: to },
  ];
  return lane.send({ ...known, tool: 'edit_files', input: { edits }, effect: { on: 'file', path, to } });
};

const replace: Job = async (lane) => {
  if (!lane.changing) {
    const token = lane.newToken();
    const [path, is] = [`made/changing-${token}.txt`, newFile(token, lane.random)];
    const effect = { on: 'file', path, to: is } as const;
    const record = await lane.send({
      tool: 'create_file',
      token,
      key: token,
      input: { path, content: is },
      effect,
    });
    if (!isOk(record)) return;
    lane.changing = { path, is };
  }
  const { path, is } = lane.changing;
  const known = change(lane);
  const [old] = is.split('\n', 1);
  const to = is.replace(`${old}\n`, `${known.token}\n`);
  const record = await lane.send({
    ...{ ...known, tool: 'replace_string_in_file', effect: { on: 'file', path, from: is, to } },
    input: { path, old_string: `${old}\n`, new_string: `${known.token}\n` },
  });
  if (isOk(record)) lane.changing = { path, is: to };
  // Nobody can say what it holds now, unless it was refused.
  else if (!known.isRefused) lane.changing = undefined;
};

const createFolder: Job = (lane) => {
  const known = change(lane);
  const path = `made/folders/${known.token}`;
  return lane.send({ ...known, tool: 'create_directory', input: { path }, effect: { on: 'folder', path } });
};

/** A command that leaves its mark once each time it runs. */
const command = (more: (mark: string) => string, limits: object = {}, leaves = false): Job => {
  return (lane) => {
    const known = change(lane);
    return lane.send({
      ...{ ...known, tool: 'run_in_terminal', effect: { on: 'mark', mark: known.token } },
      input: { command: more(`echo ${known.token} >> ${MARKS}`), ...limits },
      ...(leaves ? { leavesAfterMs: 200 + lane.random.whole(1_500) } : {}),
    });
  };
};

const models: Job = async (lane) => {
  const port = lane.random.pick(lane.modelPorts);
  const loading = lane.newToken();
  await lane.send({ tool: 'mlx_load', token: loading, key: loading, input: { model: MODEL, port } });
  const unloading = lane.newToken();
  await lane.send({ tool: 'mlx_unload', token: unloading, key: unloading, input: { port } });
};

const fetchWebpage: Job = (lane) => {
  const known = change(lane);
  return lane.send({ ...known, tool: 'fetch_webpage', input: { url: `${lane.origin}/?${known.token}` } });
};

/** A read whose arguments hold a word of its own. */
const read = (tool: string, input: (token: string, lane: Lane) => object): Job => {
  return (lane) => {
    const token = lane.newToken();
    return lane.send({ tool, token, input: input(token, lane) });
  };
};

const readKnown: Job = async (lane) => {
  const { path, content } = lane.known ?? { path: 'docs/tracker.md', content: '# Tracker\n' };
  const record = await lane.send({ tool: 'read_file', input: { path } });
  lane.expect(record, content.slice(0, 2_000));
};

const readSeveral: Job = async (lane) => {
  const { path, content } = lane.known ?? { path: 'docs/tracker.md', content: TRACKED };
  const files = [{ path: 'docs/tracker.md' }, { path, end_line: 2 }];
  const record = await lane.send({ tool: 'read_files', input: { files } });
  lane.expect(record, TRACKED);
  lane.expect(record, content.split('\n', 1)[0] ?? '');
};

/** A read that always gives the same. */
const reads = (tool: string, input: object, text: string): Job => {
  return async (lane) => lane.expect(await lane.send({ tool, input }), text);
};

/** Lists machines. From a revocation to the next pairing there is none. */
const listMachines: Job = async (lane) => {
  const record = await lane.send({ tool: 'list_machines', input: {} });
  const told = record.attempts.at(-1)?.told;
  const { machines } = (told?.is === 'ok' ? told.output : {}) as { machines?: readonly unknown[] };
  if (machines?.length !== 0) lane.expect(record, MACHINE);
};

const recall: Job = async (lane) => {
  if (!lane.remembered) return;
  const { file, body } = lane.remembered;
  const record = await lane.send({ tool: 'read_repo_file', input: { path: `.claude/memory/${file}` } });
  lane.expect(record, body);
};

const look: Job = async (lane) => {
  const id = await lane.someCallId();
  return lane.send({ tool: 'get_call', input: { call_id: id ?? 'none' } });
};

/** What is dealt, and how often for each time that all of it is dealt. */
const JOBS: readonly (readonly [times: number, job: Job])[] = [
  [10, remember],
  [7, createFile],
  [7, replace],
  [2, editFiles],
  [2, createFolder],
  [7, command((mark) => mark)],
  [1, command((mark) => `${mark}; sleep 30`, { timeout_seconds: 1 })],
  [1, command((mark) => `${mark}; sleep 4`, {}, true)],
  [1, command((mark) => `(setsid sleep 120 &); ${mark}; sleep 0.5`)],
  [1, command((mark) => `sleep 0.7; ${mark}; exit 3`)],
  [1, models],
  [2, fetchWebpage],
  [4, read('hello', (token) => ({ name: token }))],
  [2, undo],
  [2, reads('read_repo_file', { path: 'docs/tracker.md' }, TRACKED)],
  [3, recall],
  [2, reads('list_repo', { path: 'docs' }, 'tracker.md')],
  [2, read('search', (token) => ({ query: `tracker ${token}` }))],
  [2, reads('fetch', { id: 'repo:docs/tracker.md' }, TRACKED)],
  [2, read('search_web', (token) => ({ query: token, max_results: 2 }))],
  [2, read('web_fetch', (token, { origin }) => ({ url: `${origin}/?${token}` }))],
  [
    2,
    read('transcript_clean', (token) => ({ text: `WEBVTT\n\n00:01.000 --> 00:02.000\nthis is ${token}\n` })),
  ],
  [2, listMachines],
  [2, look],
  [4, readKnown],
  [2, readSeveral],
  [2, reads('list_dir', { path: 'docs', machine: MACHINE }, 'tracker.md')],
  [2, read('file_search', (token) => ({ pattern: `**/${token}.md` }))],
  [2, read('grep_search', (token) => ({ pattern: token, file_pattern: '*.md' }))],
  [1, (lane) => lane.send({ tool: 'terminal_last_command', input: {} })],
  [2, typeInTerminal],
  [2, readTerminal],
  [1, (lane) => lane.send({ tool: 'mlx_list', input: {} })],
  [1, reads('git_read', { what: 'log', path: 'docs' }, COMMITTED)],
  [1, (lane) => lane.send({ tool: 'watch', input: { path: 'docs', until: 'exists', timeout_seconds: 1 } })],
];

/** Deals jobs for ever, in a seeded order: each once, so that a short run has all, and then each as often as it is said. */
export function* dealJobs({ shuffled }: Random): Generator<Job, never> {
  const deck = JOBS.flatMap(([times, job]) => Array.from({ length: times }, () => job));
  yield* shuffled(JOBS.map(([, job]) => job));
  for (;;) yield* shuffled(deck);
}
