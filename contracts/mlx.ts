import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { effectErrors, machineErrors } from './door-errors.ts';
import { effectInput, effectOutput, machineInput } from './machine-fields.ts';

const modelField = z.string().min(1).max(256);

const portField = z.int().min(8_100).max(8_139);

const ok = z.boolean().describe('Whether it was done.');

const message = z.string().describe('What was done, in a sentence.');

const invalidPort = {
  status: 400,
  message: 'The port is not one that models may use.',
  suggestion: 'Use a port from 8100 to 8139.',
} as const;

const mlxErrors = {
  ...machineErrors,
  not_configured: {
    status: 503,
    message: 'MLX is not set up on this machine.',
    suggestion:
      'Install `mlx-lm` there, or set the command and the host; `bowline doctor` says which is missing.',
  },
  host_unreachable: {
    status: 502,
    message: 'The host that runs the models could not be reached from the machine.',
    suggestion: 'Check that the host is on and that `ssh` to it works without a password.',
  },
} as const;

export const mlxLoad = tool({
  name: 'mlx.load',
  title: 'Load an MLX model',
  description:
    'Starts a downloaded model on a machine, or on the host it controls, and waits until it answers.',
  details:
    'Loads only what is downloaded there, or a folder that the owner named. The owner approves each call.',
  runsOn: 'machine',
  group: 'models',
  risk: 'dangerous',
  approval: 'ask',
  limits: { perMinute: 30, timeoutMs: 600_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  hasPreview: true,
  input: z.strictObject({
    model: modelField.meta(
      told(
        'Such as `mlx-community/Llama-3.2-3B-Instruct-4bit`, or the path of a folder that the owner named.',
        'Such as `mlx-community/Llama-3.2-3B-Instruct-4bit`.',
      ),
    ),
    port: portField.meta(told('The port to serve it on, from 8100 to 8139.')),
    ...effectInput,
    ...machineInput,
  }),
  output: z.strictObject({
    ok,
    message,
    port: portField.describe('The port the model is served on.'),
    model: modelField.describe('The model that was loaded.'),
    ...effectOutput,
  }),
  errors: {
    ...mlxErrors,
    ...effectErrors,
    invalid_port: invalidPort,
    model_not_found: {
      status: 404,
      message: 'The model is not downloaded on that host.',
      suggestion: 'Check its name, or download it there first; loading never downloads.',
    },
    port_busy: {
      status: 409,
      message: 'Something already listens on that port.',
      suggestion: 'Use another port from 8100 to 8139, or unload the model there; `mlx_list` shows them.',
    },
    not_enough_memory: {
      status: 507,
      message: 'The host has too little free memory for the model.',
      suggestion: 'Unload another model first, or choose a smaller one.',
    },
    launch_failed: {
      status: 500,
      message: 'The model server ended, or did not answer in time.',
      suggestion: 'Read the last lines of its log, which come with this error, and try again.',
    },
  },
  inputErrors: { port: 'invalid_port' },
  examples: [
    {
      about: 'loads a model',
      input: { model: 'mlx-community/Llama-3.2-3B-Instruct-4bit', port: 8100 },
      output: {
        ok: true,
        message: 'Loaded mlx-community/Llama-3.2-3B-Instruct-4bit on port 8100.',
        port: 8100,
        model: 'mlx-community/Llama-3.2-3B-Instruct-4bit',
      },
      varies: ['message'],
    },
  ],
  headline: (output) => output.message,
});

export const mlxUnload = tool({
  name: 'mlx.unload',
  title: 'Unload an MLX model',
  description: 'Stops the model that `mlx_load` started on a port.',
  details: 'Checks that it is gone. Other servers are never stopped. The owner approves each call.',
  runsOn: 'machine',
  group: 'models',
  risk: 'dangerous',
  approval: 'ask',
  limits: { perMinute: 30, timeoutMs: 60_000 },
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  hasPreview: true,
  input: z.strictObject({
    port: portField.meta(told('The port whose model to unload, from 8100 to 8139.')),
    ...effectInput,
    ...machineInput,
  }),
  output: z.strictObject({
    ok,
    message,
    port: portField.describe('The port that is free again.'),
    ...effectOutput,
  }),
  errors: {
    ...mlxErrors,
    ...effectErrors,
    invalid_port: invalidPort,
    not_listening: {
      status: 404,
      message: 'No model is served on that port.',
      suggestion: 'Use `mlx_list` to see which ports serve one.',
    },
    not_ours: {
      status: 409,
      message: 'The server on that port was not started by Bowline, so it was left alone.',
      suggestion: 'Stop it where it was started.',
    },
    stop_failed: {
      status: 500,
      message: 'The server was told to stop, but it or its port is still in use.',
      suggestion: 'Look at the processes of the host, then try again.',
    },
  },
  inputErrors: { port: 'invalid_port' },
  examples: [
    {
      about: 'unloads a model',
      input: { port: 8100 },
      output: {
        ok: true,
        message: 'Unloaded mlx-community/Llama-3.2-3B-Instruct-4bit from port 8100.',
        port: 8100,
      },
      varies: ['message'],
    },
  ],
  headline: (output) => output.message,
});

export const mlxList = tool({
  name: 'mlx.list',
  title: 'List MLX models',
  description: 'Lists the models that `mlx_load` started and that still run.',
  details: 'Says on which port, with how much memory and for how long.',
  runsOn: 'machine',
  group: 'models',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 30_000 },
  hints: readsOnly,
  input: z.strictObject(machineInput),
  output: z.strictObject({
    models: z
      .array(
        z.strictObject({
          model: modelField.describe('The model.'),
          host: z.string().describe('Where it runs: the machine itself, or the host it controls.'),
          port: portField.describe('The port it is served on.'),
          state: z.enum(['loading', 'ready']).describe('Whether it answers yet.'),
          memory_bytes: z
            .int()
            .min(0)
            .nullable()
            .describe('Memory its server uses; null if the host does not say.'),
          age_seconds: z.int().min(0).describe('How long ago its server was started.'),
        }),
      )
      .describe('The models, by port.'),
  }),
  errors: mlxErrors,
  examples: [
    {
      about: 'lists what is loaded',
      input: {},
      output: {
        models: [
          {
            model: 'mlx-community/Llama-3.2-3B-Instruct-4bit',
            host: 'studio',
            port: 8100,
            state: 'ready',
            memory_bytes: 2_147_483_648,
            age_seconds: 90,
          },
        ],
      },
      varies: ['models'],
    },
  ],
  headline: ({ models }) => (models.length === 1 ? '1 model loaded' : `${models.length} models loaded`),
});

/**
 * Asks a loaded model. Only Bowline itself uses this; no client is offered it. Request and answer have the
 * form of OpenAI's chat API.
 */
export const mlxAsk = tool({
  name: 'mlx.ask',
  title: 'Ask a loaded model',
  description: 'Sends a chat request to a model that `mlx_load` started.',
  runsOn: 'machine',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 600, timeoutMs: 600_000 },
  hints: readsOnly,
  input: z.strictObject({
    port: portField.describe('The port the model is served on.'),
    body: z.string().max(4_000_000).describe('The request, as JSON.'),
    ...machineInput,
  }),
  output: z.strictObject({
    status: z.int().describe('The HTTP status of the answer.'),
    body: z.string().describe('The answer, as the model server gave it.'),
  }),
  errors: {
    ...mlxErrors,
    invalid_port: invalidPort,
    not_listening: {
      status: 404,
      message: 'No model of Bowline answers on that port.',
      suggestion: 'Load one there with `mlx_load`.',
    },
  },
  inputErrors: { port: 'invalid_port' },
  examples: [
    {
      about: 'asks a model',
      input: { port: 8100, body: '{"messages":[{"role":"user","content":"Hello"}]}' },
      output: { status: 200, body: '{"choices":[{"message":{"role":"assistant","content":"Hello."}}]}' },
      varies: ['status', 'body'],
    },
  ],
});
