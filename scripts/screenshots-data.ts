import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

const files: Readonly<Record<string, string>> = {
  'README.md': '# Garden\n\nWhat grows where, and what the sensors say.\n',
  'docs/plan.md': [
    '# Plan for spring',
    '',
    '1. Sow tomatoes indoors by the end of February.',
    '2. Move the soil sensors from bed 2 to bed 4.',
    '3. Compare this year’s frost dates with the log.',
    '',
    '## Watering',
    '',
    '- Drip lines run at 06:00 unless it rained the night before.',
    '- `sensors.py` writes one line a reading; see docs/sensors.md.',
    '',
  ].join('\n'),
  'docs/sensors.md': '# Sensors\n\nFour of them, one a bed. They report every ten minutes.\n',
  'docs/beds/one.md': '# Bed one\n\nBeans, then garlic.\n',
  'docs/beds/two.md': '# Bed two\n\nTomatoes under glass.\n',
  'sensors.py': 'from datetime import datetime\n\nprint(datetime.now(), "bed 4: 31 %")\n',
};

/** Makes a small repo to mirror and open. */
export function makeRepo(folder: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Plan for spring');
}

const remembered = [
  [
    'decisions.jsonl',
    { type: 'decision', choice: 'Drip lines instead of sprinklers', why: 'half the water' },
  ],
  ['progress_log.jsonl', { type: 'task_complete', task: 'Cleaned last year’s sensor data', outliers: 3 }],
  ['progress_log.jsonl', { type: 'task_complete', task: 'Drew the beds to scale' }],
] as const;

/** Acts as the owner's browser does, from one of its pages. */
async function asOwner(page: Page, method: string, path: string, body?: unknown): Promise<unknown> {
  const csrf = await page.locator('input[name=csrf]').first().inputValue();
  return page.evaluate(
    async ({ token, how, where, what }) => {
      const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
      const init = what === undefined ? { method: how, headers } : { method: how, headers, body: what };
      const answer = await fetch(`/api/owner/${where}`, init);
      if (!answer.ok) throw new Error(`${how} ${where} answered ${answer.status}`);
      return answer.json();
    },
    { token: csrf, how: method, where: path, what: body === undefined ? undefined : JSON.stringify(body) },
  );
}

/** Makes a day's worth of calls, and gives the tokens of two callers: one alone may not have that many waiting. */
export async function work(page: Page, rest: string): Promise<readonly [string, string]> {
  const { machines } = (await asOwner(page, 'GET', 'machines')) as { machines: { id: string }[] };
  await asOwner(page, 'POST', `machines/${machines[0]?.id}`, { name: 'studio', is_default: true });
  for (const [at, [file, entry]] of remembered.entries()) {
    const timestamp = `2026-02-0${at + 1}T09:30:00Z`;
    await asOwner(page, 'POST', 'memory/entries', { file, entry: { timestamp, ...entry } });
  }
  await asOwner(page, 'POST', 'memory/entries', {
    file: 'best_practices.md',
    entry: '- Ask for the reading before you trust the average.',
  });
  const tokenFor = async (name: string) => {
    const asked = { name, scopes: ['read', 'write', 'machine'], days: 30 };
    return ((await asOwner(page, 'POST', 'tokens', asked)) as { secret: string }).secret;
  };
  const [secret, other] = [await tokenFor('Claude'), await tokenFor('Cursor')];
  for (let round = 0; round < 6; round++) {
    await call(rest, secret, 'list_dir', {});
    await call(rest, secret, 'read_file', { path: 'docs/plan.md' });
    await call(rest, secret, 'search', { query: 'frost' });
    await call(rest, secret, 'grep_search', { pattern: 'bed' });
    await call(rest, secret, 'read_repo_file', { path: round % 3 === 2 ? 'docs/none.md' : 'docs/plan.md' });
  }
  // A model server that can be unloaded.
  const loading = call(rest, secret, 'mlx_load', { model: MODEL, port: PORT });
  await approve(page, await codeOf(page, 'mlx_load'));
  await loading;
  return [secret, other];
}

const MODEL = 'mlx-community/Llama-3.2-3B-Instruct-4bit';
const PORT = 8100;

function call(rest: string, token: string, tool: string, args: object): Promise<Response> {
  return fetch(`${rest}/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
}

async function approve(page: Page, code: string): Promise<void> {
  await asOwner(page, 'POST', `approvals/${code}`, { decision: 'approve' });
}

/** Waits for an approval of a call of that tool. */
async function codeOf(page: Page, tool: string): Promise<string> {
  for (;;) {
    const { approvals } = (await asOwner(page, 'GET', 'approvals?state=pending')) as {
      approvals: { code: string; tool: string }[];
    };
    const code = approvals.find((one) => one.tool === tool)?.code;
    if (code !== undefined) return code;
    await page.waitForTimeout(200);
  }
}

/** Leaves two calls waiting for the owner. */
export async function leave(page: Page, rest: string, token: string): Promise<void> {
  for (const [tool, args] of asks('').slice(0, 2)) void call(rest, token, tool, args).catch(() => undefined);
  for (const [tool] of asks('').slice(0, 2)) await codeOf(page, tool);
}

/** A call of every tool that asks. */
function asks(origin: string): readonly (readonly [tool: string, args: object])[] {
  const entry = { timestamp: '2026-02-04T10:00:00Z', type: 'decision', choice: 'Move the sensors to bed 4' };
  const bed = '# Bed three\n\nPeas and lettuce.\n\n- Sow: 10 March\n- Frost cloth: until mid April\n';
  return [
    [
      'run_in_terminal',
      { command: 'python3 sensors.py | tail -5', reason: 'To see whether bed 4 reports again.' },
    ],
    ['write_memory_entry', { file: 'decisions.jsonl', entry }],
    ['create_file', { path: 'docs/beds/three.md', content: bed }],
    ['create_directory', { path: 'docs/frost/2026' }],
    [
      'replace_string_in_file',
      {
        path: 'docs/plan.md',
        old_string: '- Drip lines run at 06:00 unless',
        new_string: '- Drip lines run at 05:30 unless',
        reason: 'Less water evaporates before sunrise.',
      },
    ],
    [
      'edit_files',
      {
        edits: [
          { op: 'replace', path: 'docs/sensors.md', old: 'Four of them', text: 'Five of them' },
          { op: 'move', path: 'docs/beds/two.md', to: 'docs/beds/glass.md' },
          { op: 'append', path: 'docs/beds/one.md', text: '\nOnions from May on.\n' },
        ],
        reason: 'The house got a fifth sensor.',
      },
    ],
    ['fetch_webpage', { url: `${origin}/` }],
    ['mlx_load', { model: MODEL, port: PORT + 1 }],
    ['mlx_unload', { port: PORT }],
  ];
}

/** Leaves a call of every tool waiting, and gives the code of each. */
export async function askForEach(
  page: Page,
  rest: string,
  tokens: readonly [string, string],
  origin: string,
): Promise<readonly (readonly [tool: string, code: string])[]> {
  const codes: (readonly [string, string])[] = [];
  for (const [i, [tool, args]] of asks(origin).entries()) {
    void call(rest, tokens[i < 5 ? 0 : 1], tool, args).catch(() => undefined);
    codes.push([tool, await codeOf(page, tool)]);
  }
  return codes;
}

/** Ends the model server, which would go on without Bowline. */
export async function unload(page: Page, rest: string, token: string): Promise<void> {
  const unloading = call(rest, token, 'mlx_unload', { port: PORT });
  await approve(page, await codeOf(page, 'mlx_unload'));
  await unloading;
}
