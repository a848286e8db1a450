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

/** Simulates a day of work, and leaves some of it waiting for the owner. */
export async function work(page: Page, rest: string): Promise<void> {
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
  const made = (await asOwner(page, 'POST', 'tokens', {
    name: 'Claude',
    scopes: ['read', 'write', 'machine'],
    days: 30,
  })) as { secret: string };
  const call = (tool: string, args: object) =>
    fetch(`${rest}/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
  for (let round = 0; round < 6; round++) {
    await call('list_dir', {});
    await call('read_file', { path: 'docs/plan.md' });
    await call('search', { query: 'frost' });
    await call('grep_search', { pattern: 'bed' });
    await call('read_repo_file', { path: round % 3 === 2 ? 'docs/none.md' : 'docs/plan.md' });
  }
  // These wait for the owner; this script does not wait for them.
  const entry = { timestamp: '2026-02-04T10:00:00Z', type: 'decision', choice: 'Move the sensors to bed 4' };
  const left = [
    call('write_memory_entry', { file: 'decisions.jsonl', entry }),
    call('run_in_terminal', { command: 'python3 sensors.py' }),
  ];
  for (const one of left) one.catch(() => undefined);
  while (
    ((await asOwner(page, 'GET', 'approvals?state=pending')) as { approvals: object[] }).approvals.length < 2
  ) {
    await page.waitForTimeout(100);
  }
}
