import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { startTwoSides } from '../support/two-sides.ts';
import { PROJECT } from '../support/up.ts';
import { decideUntil } from '../support/waiting-calls.ts';

// A model's afternoon: a dev server that does not start, the mending of two files, the page, a commit, and taking it all
// back. Once with the tools that last and do several things at once, once with the ten plain ones.

let sides: Awaited<ReturnType<typeof startTwoSides>>;
let client: Client;
let port: number;
const git = (...args: string[]) => execFileSync('git', args, { cwd: sides.root, encoding: 'utf8' }).trim();
const text = (name: string) => readFileSync(join(sides.root, name), 'utf8');

const SERVER = `import { createServer } from 'node:http';
import { greeting } from './greet.js';
const port = Number(process.argv[2]);
createServer((_, answer) => answer.end(greeting(process.argv[3]))).listen(port, '127.0.0.1', () => {
  console.log('Listening on ' + port);
});
`;
const GREET = `export const greet = (name) => 'Hello, ' + nmae + '!';\n`;

beforeAll(async () => {
  sides = await startTwoSides('afternoon', { approves: false });
  port = await freePort(0);
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  writeFileSync(join(sides.root, 'package.json'), '{"name":"shop","type":"module"}\n');
  writeFileSync(join(sides.root, 'server.js'), SERVER);
  writeFileSync(join(sides.root, 'greet.js'), GREET);
  git('add', '-A');
  git('commit', '-qm', 'First');
  client = new Client({ name: 'afternoon', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${sides.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${sides.url}/mcp`), { requestInit: { headers } }),
  );
}, 240_000);
afterAll(async () => {
  await client?.close();
  await sides?.stop();
});

interface Answer {
  readonly output: string;
  readonly metadata: Record<string, unknown>;
}

/** Counts what a model's work costs. */
class Work {
  calls = 0;
  decisions = 0;
  bytes = 0;

  /** Makes a call whose owner says yes if asked. A model writes the arguments, and reads the text. */
  async call(name: string, args: Record<string, unknown>): Promise<Answer> {
    const calling = client.callTool({ name, arguments: args });
    const decisions = await decideUntil(calling, sides.owner, { decision: 'approve' });
    const { content, structuredContent } = await calling;
    const [first] = content;
    const shown = first?.type === 'text' ? first.text : '';
    this.calls += 1;
    this.decisions += decisions;
    this.bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(shown);
    expect([name, shown]).not.toEqual([name, expect.stringMatching(/^Error: /)]);
    return structuredContent as unknown as Answer;
  }

  /** About four bytes make a token. */
  figures(): readonly [calls: number, decisions: number, tokens: number] {
    return [this.calls, this.decisions, Math.round(this.bytes / 4)];
  }
}

const FETCH = `fetch('http://127.0.0.1:PORT/').then((page) => page.text()).then(console.log)`;
const fetching = () => `node -e "${FETCH.replace('PORT', String(port))}"`;
const MENDED = { server: "import { greet } from './greet.js';", call: 'answer.end(greet(' };
const done: Record<string, ReturnType<Work['figures']>> = {};

describe('an afternoon', () => {
  it('with lasting terminals, edits of several files and undo', async () => {
    const work = new Work();
    const start = `node --watch server.js ${port} Ada`;
    await work.call('terminal_start', { session: 'dev', command: start });
    const failed = await work.call('terminal_read', {
      session: 'dev',
      until: 'SyntaxError',
      wait_seconds: 30,
    });
    expect(failed.output).toContain("does not provide an export named 'greeting'");
    const { next_offset } = failed.metadata;
    const read = await work.call('read_files', { files: [{ path: 'server.js' }, { path: 'greet.js' }] });
    expect(read.output).toContain('nmae');
    const edits = [
      {
        op: 'replace',
        path: 'server.js',
        old: "import { greeting } from './greet.js';",
        text: MENDED.server,
      },
      { op: 'replace', path: 'server.js', old: 'answer.end(greeting(', text: MENDED.call },
      { op: 'replace', path: 'greet.js', old: '+ nmae', text: '+ name' },
    ];
    await work.call('edit_files', { edits });
    const runs = { session: 'dev', offset: next_offset, until: 'Listening on', wait_seconds: 30 };
    expect((await work.call('terminal_read', runs)).metadata).toMatchObject({ found: true });
    expect((await work.call('run_in_terminal', { command: fetching() })).output).toContain('Hello, Ada!');
    await work.call('run_in_terminal', { command: 'git commit -qam "Mend the greeting"' });
    expect(git('log', '-1', '--format=%s')).toBe('Mend the greeting');
    const undone = await work.call('undo_call', {});
    expect(undone.metadata).toMatchObject({ tool: 'edit_files' });
    expect([text('server.js'), text('greet.js')]).toEqual([SERVER, GREET]);
    await work.call('terminal_stop', { session: 'dev' });
    done.now = work.figures();
  });

  it('with the ten plain tools', async () => {
    git('checkout', '-q', '--', '.');
    git('reset', '-q', '--hard', 'HEAD~1');
    const work = new Work();
    const start = `node server.js ${port} Ada`;
    const failed = await work.call('run_in_terminal', { command: start, timeout_seconds: 30 });
    expect(failed.output).toContain("does not provide an export named 'greeting'");
    for (const path of ['server.js', 'greet.js']) await work.call('read_file', { path });
    const changes = [
      ['server.js', "import { greeting } from './greet.js';", MENDED.server],
      ['server.js', 'answer.end(greeting(', MENDED.call],
      ['greet.js', '+ nmae', '+ name'],
    ] as const;
    for (const [path, old_string, new_string] of changes)
      await work.call('replace_string_in_file', { path, old_string, new_string });
    // The server ends with its command, so the page has to be fetched by the same one.
    const both = `node server.js ${port} Ada & server=$!; until ${fetching()} 2>/dev/null; do sleep 0.2; done; kill $server`;
    expect((await work.call('run_in_terminal', { command: both })).output).toContain('Hello, Ada!');
    await work.call('run_in_terminal', { command: 'git commit -qam "Mend the greeting"' });
    for (const [path, new_string, old_string] of changes.toReversed())
      await work.call('replace_string_in_file', { path, old_string, new_string });
    expect([text('server.js'), text('greet.js')]).toEqual([SERVER, GREET]);
    done.before = work.figures();
  });

  it('costs what docs/afternoon.md says', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'afternoon.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (calls|decisions|tokens) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map(
      ([, what, before = '', now = '']) => [what, ...[before, now].map((n) => Number(n.replace(',', '')))],
    );
    const said = Object.fromEntries(rows.map(([what, ...counts]) => [what, counts]));
    const [before = [], now = []] = [done.before, done.now];
    expect(said.calls).toEqual([before[0], now[0]]);
    expect(said.decisions).toEqual([before[1], now[1]]);
    // Paths and numbers of processes differ in length from run to run.
    for (const [i, tokens] of [before[2], now[2]].entries())
      expect(Math.abs((said.tokens?.[i] as number) / (tokens ?? 0) - 1)).toBeLessThan(0.2);
  });
});
