import * as z from 'zod';
import { readsOnly, tool } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import { ADMITTED, NO_LEDGER } from '../../src/core/admit.ts';
import type { Result } from '../../src/core/call.ts';
import { type ToolSet, toolSet } from '../../src/core/tools.ts';

const shared = {
  title: 'For tests',
  description: 'Exists only in tests.',
  runsOn: 'machine',
  approval: 'never',
  limits: { perMinute: 1_000_000, timeoutMs: 60_000 },
  output: z.strictObject({ text: z.string().describe('What came of it.') }),
  errors: {},
  examples: [{ about: 'does', input: { word: 'a' }, output: { text: 'a' } }],
} as const;

const echo = tool({
  ...shared,
  name: 'echo',
  risk: 'read_only',
  hints: readsOnly,
  input: z.strictObject({
    word: z.string().describe('What to say.'),
    times: z.int().min(1).default(1).describe('How often.'),
  }),
});

const count = tool({
  ...shared,
  name: 'count',
  risk: 'safe_write',
  hints: { ...readsOnly, readOnly: false, idempotent: false },
  input: z.strictObject({
    word: z.string().describe('What to count.'),
    ms: z.int().min(0).default(0).describe('How long it takes.'),
    padding: z.int().min(0).default(0).describe('How many bytes more to answer.'),
  }),
});

/** A tool that reads and one that changes something, and how often it did. `ran` hears of each time and may hold it. */
export function linkTools(ran: (word: string) => void | Promise<void> = () => undefined): {
  tools: ToolSet;
  runs: Map<string, number>;
} {
  const runs = new Map<string, number>();
  const tools = toolSet(
    { echo, count },
    {
      echo: ({ word, times }, call) => call.ok({ text: word.repeat(times) }),
      count: async ({ word, ms, padding }, call) => {
        const run = (runs.get(word) ?? 0) + 1;
        runs.set(word, run);
        const held = ran(word);
        call.progress({ progress: 0, message: 'counting' });
        if (ms > 0) await new Promise((done) => setTimeout(done, ms));
        await held;
        return call.ok({ text: `${word} ${run}${'.'.repeat(padding)}` });
      },
    },
    {
      newCallId: () => 'call_here',
      ...NO_LEDGER,
      admit: () => ADMITTED,
      report: (error) => {
        throw error;
      },
    },
    undefined,
  );
  return { tools, runs };
}

/** A `read_file` that does not look at what it answers: what a machine that was taken over may send. */
export function readFileTools(): ToolSet {
  const contract = catalogue.read_file;
  const answer = (path: string): Result => {
    const [example] = contract.examples;
    // Any file in the folder too.
    switch (path.split('/')[0]) {
      case 'good':
        return { kind: 'ok', output: example.output };
      case 'missing':
        return { kind: 'failed', failure: { ...failure, code: 'file_not_found', http_status: 200 } };
      case 'unknown-code':
        return { kind: 'failed', failure: { ...failure, code: 'all_is_well' } };
      default:
        return { kind: 'ok', output: { ...example.output, secrets: 'and more' } };
    }
  };
  const failure = { code: '', http_status: 500, message: 'It says.', suggestion: 'Do.' };
  const call = async (args: unknown) => answer(contract.input.parse(args).path);
  return new Map([
    [
      contract.wireName,
      {
        contract,
        call,
        run: ({ input }) => call(input),
        look: async () => ({ kind: 'none', why: 'It only reads.' }),
      },
    ],
  ]);
}
