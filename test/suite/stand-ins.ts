import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyContract } from '../../contracts/contract.ts';
import { answerAsLiteLlm, LITELLM_KEY, LITELLM_TOOL } from '../support/litellm.ts';
import { claimPorts } from '../support/model-ports.ts';
import { webServer } from '../support/web-server.ts';

export type StandIns = Awaited<ReturnType<typeof startStandIns>>;

/** The model that the examples load. */
const MODEL = 'mlx-community/Llama-3.2-3B-Instruct-4bit';

/** A page in place of https://example.com/, a LiteLLM, and a downloaded model, all on this computer. */
export async function startStandIns(home: string) {
  const cache = join(home, 'hub');
  const model = join(cache, `models--${MODEL.replaceAll('/', '--')}`, 'snapshots', 'one');
  mkdirSync(model, { recursive: true });
  writeFileSync(join(model, 'config.json'), '{}');
  const server = await webServer((request, response) => {
    if (request.url?.startsWith('/v1/search/')) return void answerAsLiteLlm(request, response);
    const text = 'This domain is for use in documentation examples without needing permission. '.repeat(4);
    const page = `<!doctype html><html lang="en"><head><title>Example Domain</title></head><body><h1>Example Domain</h1><p>${text}</p></body></html>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  const settings = {
    DEV_FETCH_ORIGINS: server.origin,
    LITELLM_URL: server.origin,
    LITELLM_KEY,
    LITELLM_SEARCH_TOOL: LITELLM_TOOL,
    HF_HUB_CACHE: cache,
    BOWLINE_MLX_HOME: join(home, 'model-servers'),
  };
  const program = new URL('../fixtures/mlx/server.mjs', import.meta.url).pathname;
  const mlx = { command: [process.execPath, program], reserve_bytes: 0, stop_seconds: 2 };
  const { ports, release } = await claimPorts();
  const close = async () => {
    await server.close();
    await release();
  };
  return { settings, mlx, ports, close };
}

/** The port of a model in the contracts' examples. */
const EXAMPLE_PORT = 8_100;

/** A contract's examples, with the page that stands in for the one on the internet, and a port that is free here. */
export function examplesWith(
  contract: AnyContract,
  { origin, modelPort }: { readonly origin: string; readonly modelPort: number },
): AnyContract['examples'][number][] {
  switch (contract.wireName) {
    case 'web_fetch':
      return contract.examples.map((example) => ({
        ...example,
        input: { ...(example.input as object), url: `${origin}/` },
        output: { ...(example.output as object), final_url: `${origin}/` },
      }));
    case 'fetch_webpage':
      return contract.examples.map((example) => ({
        ...example,
        input: { ...(example.input as object), url: origin },
        varies: [...(example.varies ?? []), 'metadata.url', 'metadata.final_url'],
      }));
    case 'terminal_start':
    case 'terminal_send':
    case 'terminal_read':
    case 'terminal_stop':
      sessions += 1;
      return contract.examples.map((example) => ({
        ...example,
        input: { ...(example.input as object), session: `work-${sessions}` },
        varies: [...(example.varies ?? []), 'metadata.session'],
      }));
    case 'mlx_list':
    case 'mlx_load':
    case 'mlx_unload':
      return contract.examples.map((example) =>
        JSON.parse(JSON.stringify(example).replaceAll(String(EXAMPLE_PORT), String(modelPort))),
      );
    // The id is one that the gateway makes up; get_call is tried with real ones where calls outlive their answers.
    case 'get_call':
      return [];
    default:
      return [...contract.examples];
  }
}

/** The sessions that the examples named, so that each has one of its own. */
let sessions = 0;

/** What runs in the session that an example speaks of. */
const RUNNING: Readonly<Record<string, string>> = {
  terminal_send: 'read -r answer; echo "$answer"',
  terminal_read: 'echo hello',
  terminal_stop: 'cat',
};

/** Lists the calls that have to come before a tool's example, so that there is what it speaks of. */
export function before(tool: string, input: unknown): readonly (readonly [tool: string, input: object])[] {
  const { session, port } = input as { readonly session?: string; readonly port?: number };
  if (tool === 'terminal_last_command') return [['run_in_terminal', { command: 'echo hello', repeat: true }]];
  if (tool === 'mlx_unload') return [['mlx_load', { model: MODEL, port, repeat: true }]];
  if (tool === 'undo_call') {
    const edit = { path: 'hello.py', old_string: 'Hello', new_string: 'Bye', repeat: true };
    return [['replace_string_in_file', edit]];
  }
  const command = RUNNING[tool];
  return command === undefined ? [] : [['terminal_start', { session, command, repeat: true }]];
}

/** Brings the open folder back to what the examples read. */
export function freshFolder(root: string): void {
  for (const name of ['notes', 'data', 'src']) rmSync(join(root, name), { recursive: true, force: true });
  mkdirSync(join(root, 'src', 'models'), { recursive: true });
  writeFileSync(join(root, 'hello.py'), "# TODO: greet more than one person\nprint('Hello, World!')\n");
  for (const name of ['app.py', 'utils.py', 'models/user.py']) writeFileSync(join(root, 'src', name), '');
}
