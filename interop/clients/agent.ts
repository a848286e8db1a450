import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Answer, Client, Endpoint, ListedTool } from '../client.ts';
import {
  type Heard,
  type ScriptedCall,
  type ScriptedModel,
  type Speech,
  scriptedModel,
} from '../models/scripted-model.ts';
import { stdioEnvironment } from '../surroundings.ts';

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** A program that is a whole agent. A model on loopback has it call a tool, and each call is a process of its own. */
export interface Agent {
  readonly speech: Speech;
  /** How it is started with that model and that gateway: its program and arguments, and its settings as variables. */
  start(
    model: ScriptedModel,
    endpoint: Endpoint,
  ): { readonly args: readonly string[]; readonly env: Record<string, string> };
  /** The name by which its model calls a tool of the server's. */
  toolName(tool: string): string;
  /** The tools of the server's as its model is shown them. */
  tools(first: Heard): ListedTool[];
  /** The answer as its model was given it. */
  answer(last: Heard): Answer;
  /** Its model's own tools for resources. */
  readonly resources: { readonly list: ScriptedCall; read(uri: string): ScriptedCall };
  /** What it says of a server that it could not connect to. */
  problem(said: string, folder: string): string;
  /** True if ending it ends its call. */
  readonly cancels?: true;
}

/** Runs an agent as the walk's client. */
export async function agent(made: Agent, endpoint: Endpoint): Promise<Client> {
  let protocol: string | undefined;
  const run = async (call?: ScriptedCall, signal?: AbortSignal) => {
    const model = await scriptedModel(endpoint.mcp, made.speech, call);
    try {
      const { args, env } = made.start(model, endpoint);
      const said = await output(args, { ...stdioEnvironment(), HOME: endpoint.folder, ...env }, signal);
      protocol = model.protocol() ?? protocol;
      return { heard: model.heard, said };
    } finally {
      model.close();
    }
  };
  const first = await run();
  const listed = made.tools(first.heard.find(({ tools }) => Array.isArray(tools) && tools.length > 0) ?? {});
  if (listed.length === 0) throw new Error(made.problem(first.said, endpoint.folder));
  const answerTo = async (call: ScriptedCall, signal?: AbortSignal): Promise<Answer> => {
    const { heard, said } = await run(call, signal);
    const last = heard.findLast((one) => made.speech.isAnswered(one));
    if (!last) throw new Error(`Its model got no answer. It printed: ${said.slice(-1_000)}`);
    return made.answer(last);
  };
  const read = async (call: ScriptedCall) => String((await answerTo(call)).content);
  return {
    protocol: async () => protocol,
    listTools: async () => listed,
    call: (tool, args, options) => answerTo({ tool: made.toolName(tool), args }, options?.signal),
    ...(made.cancels ? { cancels: true } : {}),
    listResources: async () =>
      [...(await read(made.resources.list)).matchAll(/"uri":\s*"([^"]+)"/g)].map(([, uri = '']) => ({ uri })),
    readResource: async (uri) => {
      const [, text] = /"text":\s*("(?:[^"\\]|\\.)*")/.exec(await read(made.resources.read(uri))) ?? [];
      return text === undefined ? undefined : JSON.parse(text);
    },
    close: async () => undefined,
  };
}

/** Runs it to its end, however it ends. */
function output(args: readonly string[], env: Record<string, string>, signal?: AbortSignal): Promise<string> {
  return new Promise((done, failed) => {
    const options = { env, cwd: env.HOME, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGINT' as const };
    const child = execFile(
      'node',
      args,
      { ...options, ...(signal ? { signal } : {}) },
      (error, stdout, stderr) => {
        if (signal?.aborted) failed(error ?? new Error('It was ended.'));
        else done(stdout + stderr);
      },
    );
    // It would wait for more of its prompt.
    child.stdin?.end();
  });
}

/** A file in the folder that the agent takes for its user's home. */
export function inHome({ folder }: Endpoint, name: string): string {
  return join(folder, name);
}
