import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { machineName } from './machine-fields.ts';
import { SANDBOXES } from './sandboxes.ts';

export const listMachines = tool({
  name: 'list_machines',
  title: 'List machines',
  description: "Lists the owner's machines: which are online, their open folders and tools.",
  runsOn: 'gateway',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  input: z.strictObject({}),
  output: z.strictObject({
    machines: z
      .array(
        z.strictObject({
          name: machineName.describe('What to pass as `machine`.'),
          online: z.boolean().describe('Whether it is connected now.'),
          since: z.iso.datetime().describe('Since when it has been connected, or not connected.'),
          roots: z
            .array(
              z.strictObject({
                name: z.string().describe('What to pass as `root`.'),
                path: z.string().describe('The absolute path on the machine.'),
              }),
            )
            .describe('The open folders, the default first; as last known if it is offline.'),
          tools: z.array(z.string()).describe('The tools it runs, as last known if it is offline.'),
          status: z.enum(['active', 'offline']).describe('Whether these tools can be called now.'),
          transport: z.string().describe('How these tools are called.'),
          endpoint: z.string().describe('Where these tools are called, with this machine as `machine`.'),
          version: z
            .string()
            .nullable()
            .describe('The version of Bowline on it; null if it never connected.'),
          sandbox: z
            .enum(SANDBOXES)
            .nullable()
            .describe('What its commands run in; `off`: no command runs. Null if unknown.'),
        }),
      )
      .describe('The machines, by name.'),
  }),
  errors: {},
  examples: [
    {
      about: 'lists the machines',
      input: {},
      output: {
        machines: [
          {
            name: 'mini',
            online: true,
            since: '2026-01-09T08:00:00Z',
            roots: [{ name: 'project', path: '/home/user/project' }],
            tools: ['read_file', 'list_dir', 'run_in_terminal'],
            status: 'active',
            transport: 'mcp (http), http',
            endpoint: '/mcp, /tools/<name>',
            version: '0.1.0',
            sandbox: 'sandbox-exec',
          },
        ],
      },
      varies: ['machines'],
    },
  ],
  headline: ({ machines }) =>
    `${machines.length === 1 ? '1 machine' : `${machines.length} machines`}, ${machines.filter(({ online }) => online).length} online`,
});

export const getCall = tool({
  name: 'get_call',
  title: 'Get the outcome of a call',
  description:
    'Gives the outcome of a call that was still running when its answer came, or the rest of a result that was cut.',
  details: 'Outcomes are kept for 24 hours, and only for whoever made the call.',
  runsOn: 'gateway',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    call_id: z.string().min(1).max(128).meta(told('The call id that the earlier answer gave.')),
    offset: z
      .int()
      .min(0)
      .default(0)
      .meta(
        told(
          "How many characters of the result's long text to skip, to go on where it was cut.",
          'Characters to skip.',
        ),
      ),
  }),
  output: z.strictObject({
    call_id: z.string().describe('The same call id.'),
    tool: z.string().describe('The tool that was called.'),
    state: z
      .enum(['running', 'done', 'failed', 'unknown'])
      .describe(
        'How it stands; `unknown` if the machine went away and nobody can say whether it took effect.',
      ),
    started_at: z.iso.datetime().describe('When the call began.'),
    finished_at: z.iso.datetime().nullable().describe('When it ended; null unless it is done or failed.'),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The tool's own output; null unless the call is done."),
    next_offset: z
      .int()
      .min(1)
      .nullable()
      .describe('What to pass as `offset` for more of the result; null if this is the end of it.'),
    error: z
      .strictObject({
        code: z.string().describe('The stable name of the failure.'),
        http_status: z.int().min(100).max(599).describe('Its HTTP status.'),
        message: z.string().describe('What went wrong.'),
        suggestion: z.string().describe('What to do about it.'),
        retry_after: z.int().min(1).optional().describe('Seconds to wait before calling again.'),
      })
      .nullable()
      .describe('Why it failed or is unknown; null otherwise.'),
  }),
  errors: {
    call_not_found: {
      status: 404,
      message: 'You have made no call of that id whose outcome is still kept.',
      suggestion: 'Check the call id; outcomes are kept for 24 hours, and only for whoever made the call.',
    },
  },
  examples: [
    {
      about: 'gives the result of a call that is done',
      input: { call_id: '01J9ZK3T5N8QW4X7' },
      output: {
        call_id: '01J9ZK3T5N8QW4X7',
        tool: 'mlx_load',
        state: 'done',
        started_at: '2026-01-09T10:30:00Z',
        finished_at: '2026-01-09T10:31:10Z',
        result: {
          ok: true,
          message: 'Loaded mlx-community/Llama-3.2-3B-Instruct-4bit on port 8100.',
          port: 8100,
          model: 'mlx-community/Llama-3.2-3B-Instruct-4bit',
        },
        next_offset: null,
        error: null,
      },
      varies: ['started_at', 'finished_at'],
    },
  ],
  headline: ({ tool, state }) => `${tool}: ${state}`,
});
