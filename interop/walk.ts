import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Candidate } from './catalogue.ts';
import type { Answer, Client, Connect, Endpoint, ListedTool } from './client.ts';
import type { Owner } from './owner.ts';
import { LARGE, NAME, SMALL } from './sample.ts';
import { ABSENT, type StepName, type StepResult } from './steps.ts';

export interface Walk {
  /** The client's name on the command line, which its files are named after. */
  readonly key: string;
  readonly candidate: Candidate;
  readonly connect: Connect;
  readonly endpoint: Endpoint;
  readonly owner: Owner;
  /** What the product says it offers. */
  readonly offered: readonly ListedTool[];
}

type Step = (walk: Walk, client: Client) => Promise<typeof ABSENT | undefined>;

/** Long enough for whole programs on a busy computer. */
const STEP_MS = 60_000;
/** An undecided call is held for 40 seconds before it is answered. */
const HELD_MS = 150_000;
const LONG: ReadonlySet<StepName> = new Set(['later', 'cancel']);
/** Longer than any result that Claude takes. */
const MAX_RESULT_CHARS = 150_000;

const steps: Record<Exclude<StepName, 'connect'>, Step> = {
  tools: async ({ offered }, client) => {
    deepEqual((await client.listTools()).map(nameOf).sort(), offered.map(nameOf).sort());
    if (client.serverName) equal(client.serverName(), 'bowline');
    return undefined;
  },
  schemas: async ({ offered }, client) => {
    for (const tool of await client.listTools()) {
      const { inputSchema, outputSchema } = offered.find(({ name }) => name === tool.name) ?? {};
      deepEqual(plain(tool.inputSchema), inputSchema);
      deepEqual(plain(tool.outputSchema), outputSchema);
    }
    return undefined;
  },
  unicode: async (_, client) => {
    const answer = await client.call('hello', { name: NAME });
    ok(textOf(answer).includes(NAME), textOf(answer));
    return undefined;
  },
  file: async (_, client) => {
    const answer = await client.call('read_file', { path: SMALL.path });
    ok(outputIn(textOf(answer)).endsWith(SMALL.text), textOf(answer));
    return undefined;
  },
  structured: async (_, client) => {
    const answer = await client.call('read_file', { path: SMALL.path });
    if (answer.structuredContent === undefined) return ABSENT;
    const { output } = answer.structuredContent as { output?: unknown };
    ok(String(output).endsWith(SMALL.text), JSON.stringify(answer.structuredContent));
    return undefined;
  },
  error: async (_, client) => {
    const answer = await client.call('read_file', { path: 'missing.txt' });
    equal(answer.isError, true);
    ok(textOf(answer).includes('missing.txt'), textOf(answer));
    return undefined;
  },
  code: async (_, client) => {
    const answer = await client.call('read_file', { path: 'missing.txt' });
    if (answer._meta === undefined) return ABSENT;
    equal(codeOf(answer), 'file_not_found');
    return undefined;
  },
  held: async ({ key, candidate, owner, endpoint }, client) => {
    if (candidate.declines) return ABSENT;
    const path = `held-${key}.txt`;
    const calling = create(client, path);
    await owner.decide(await codeOfCall(owner, path, calling), 'approve');
    await made(endpoint, path, await calling);
    return undefined;
  },
  asked: async ({ owner, key }, client) => {
    if (!client.asked) return ABSENT;
    const path = `asked-${key}.txt`;
    const calling = create(client, path);
    const code = await codeOfCall(owner, path, calling);
    await owner.decide(code, 'approve');
    equal((await calling).isError ?? false, false);
    ok(
      client.asked.some((address) => address.includes(`/approvals/${code}`)),
      client.asked.join(),
    );
    return undefined;
  },
  later: async ({ key, candidate, owner, endpoint }, client) => {
    if (candidate.followsTasks) return ABSENT;
    const path = `later-${key}.txt`;
    const refused = await create(client, path);
    equal(refused.isError, true);
    const code = await owner.codeOf(path);
    ok(textOf(refused).includes(code), textOf(refused));
    if (refused._meta !== undefined) equal(codeOf(refused), 'approval_required');
    await owner.decide(code, 'approve');
    await made(endpoint, path, await create(client, path));
    return undefined;
  },
  resources: async ({ candidate }, client) => {
    if (candidate.against === 'stdio' || !client.listResources || !client.readResource) return ABSENT;
    const uris = (await client.listResources()).map(({ uri }) => uri);
    ok(uris.includes('repo://README.md') && uris.includes('memory://decisions.jsonl'), uris.join());
    equal(await client.readResource('repo://README.md'), '# Interop\n');
    return undefined;
  },
  prompts: async ({ candidate }, client) => {
    if (candidate.against === 'stdio' || !client.listPrompts || !client.getPrompt) return ABSENT;
    const names = (await client.listPrompts()).map(nameOf);
    deepEqual(names.sort(), ['log_progress', 'record_decision', 'review_week']);
    ok((await client.getPrompt('log_progress', { done: NAME })).includes(NAME));
    return undefined;
  },
  long: async (_, client) => {
    const answer = await client.call('read_file', { path: LARGE.path });
    const text = textOf(answer);
    ok(text.length > MAX_RESULT_CHARS / 2 && text.length <= MAX_RESULT_CHARS, `${text.length} characters`);
    ok(text.includes('Read the rest with `start_line`.'));
    return undefined;
  },
  megabyte: async ({ candidate }, client) => {
    if (candidate.against === 'stdio' || !client.readResource) return ABSENT;
    const text = await client.readResource(`repo://${LARGE.path}`);
    ok(text === LARGE.text, `${text?.length} characters of ${LARGE.text.length}`);
    return undefined;
  },
  cancel: async ({ key, owner, endpoint }, client) => {
    if (!client.cancels) return ABSENT;
    const path = `cancelled-${key}.txt`;
    const held = new AbortController();
    const calling = create(client, path, held.signal);
    const code = await codeOfCall(owner, path, calling);
    held.abort();
    await rejects(calling);
    await owner.untilGone(path);
    // A yes that comes too late is refused, and runs nothing.
    await rejects(owner.decide(code, 'approve'), /The caller left/);
    equal(existsSync(join(endpoint.root, path)), false);
    const ticks = `ticks-${key}.txt`;
    const command = `while true; do echo tick >> ${ticks}; sleep 0.1; done`;
    const over = new AbortController();
    const running = client.call('run_in_terminal', { command }, { signal: over.signal });
    await owner.decide(await Promise.race([owner.codeOf(ticks), running.then(unexpected)]), 'approve');
    const written = join(endpoint.root, ticks);
    while (!existsSync(written)) await wait(20);
    over.abort();
    await rejects(running);
    await untilStill(written);
    equal((await client.call('hello', {})).isError ?? false, false);
    return undefined;
  },
  refused: async ({ candidate, connect, endpoint }) => {
    if (candidate.against === 'stdio' || candidate.signsIn) return ABSENT;
    await rejects(
      async () => {
        const client = await connect({ ...endpoint, token: `${endpoint.token.slice(0, -4)}AAAA` });
        await client.close();
      },
      // A program between can only go, and leaves the reason in its log.
      ({ message }: Error) => /401|unauthorized|auth_?required|connection closed/i.test(message),
    );
    return undefined;
  },
};

/** Connects and takes every step, whatever became of the one before; tells of each as it ends. */
export async function takeWalk(walk: Walk, tell: (result: StepResult) => void): Promise<void> {
  let client: Client;
  try {
    client = await inTime(walk.connect(walk.endpoint), STEP_MS);
  } catch (error) {
    return tell({ step: 'connect', outcome: 'failed', detail: reason(error) });
  }
  tell({ step: 'connect', outcome: 'passed', protocol: await client.protocol?.() });
  for (const [name, step] of Object.entries(steps) as [StepName, Step][]) {
    try {
      const ended = await inTime(step(walk, client), LONG.has(name) ? HELD_MS : STEP_MS);
      tell({ step: name, outcome: ended === ABSENT ? 'absent' : 'passed' });
    } catch (error) {
      tell({ step: name, outcome: 'failed', detail: reason(error) });
    }
  }
  await inTime(client.close(), STEP_MS);
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = wait(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`Not done after ${ms / 1000} s.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** Waits until a file no longer grows to which a command adds ten lines a second. */
async function untilStill(path: string): Promise<void> {
  for (let before = -1; ; ) {
    const { size } = statSync(path);
    if (size === before) return;
    before = size;
    await wait(1_000);
  }
}

function create(client: Client, path: string, signal?: AbortSignal): Promise<Answer> {
  return client.call('create_file', { path, content: NAME }, signal && { signal });
}

async function made({ root }: Endpoint, path: string, answer: Answer): Promise<void> {
  equal(answer.isError ?? false, false, textOf(answer));
  equal(readFileSync(join(root, path), 'utf8'), NAME);
}

/** The code of a call that waits, unless it ends before anybody could decide. */
function codeOfCall(owner: Owner, path: string, calling: Promise<Answer>): Promise<string> {
  return Promise.race([owner.codeOf(path), calling.then(unexpected)]);
}

function unexpected(answer: Answer): never {
  throw new Error(`Answered without the owner: ${textOf(answer)}`);
}

function codeOf({ _meta }: Answer): unknown {
  return (_meta as Record<string, { code?: string }> | undefined)?.['dev.bowline/error']?.code;
}

/** Some clients give a text, and some the items it came in. */
function textOf({ content }: Answer): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((item: { text?: string }) => item.text ?? '').join('\n');
}

/** Gives the long text of an answer. Some clients hand on the text as it is, and some the data as JSON. */
function outputIn(text: string): string {
  try {
    return String(JSON.parse(text).output);
  } catch {
    return text;
  }
}

const nameOf = ({ name }: { readonly name: string }) => name;

/** As it would go over a wire, so that no class and no `undefined` counts as a difference. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
}
