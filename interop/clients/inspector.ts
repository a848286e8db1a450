import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { Answer, Client, Endpoint, ListedTool } from '../client.ts';
import { bearer, inPackage, stdioEnvironment } from '../surroundings.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

interface Results {
  readonly tools: ListedTool[];
  readonly resources: { uri: string }[];
  readonly contents: { text?: string }[];
  readonly prompts: { name: string }[];
  readonly messages: { content: { text?: string } }[];
}

/** The Inspector's command line: each thing asked of it is a process, and a connection, of its own. */
export async function inspector({ mcp, token, folder }: Endpoint, era: 'legacy' | 'modern'): Promise<Client> {
  // By its real path: it does nothing when it is started through a link.
  const program = realpathSync(inPackage('@modelcontextprotocol/inspector', 'clients/cli/build/index.js'));
  const header = Object.entries(bearer(token)).map(([name, value]) => `${name}: ${value}`);
  const always = ['--format', 'json', '--stored-auth-only', '--protocol-era', era, '--header', ...header];
  const env = {
    ...stdioEnvironment(),
    HOME: folder,
    MCP_STORAGE_DIR: folder,
    MCP_INSPECTOR_SECRET_STORE: 'file',
  };
  const run = async (method: string, ...args: readonly string[]): Promise<unknown> => {
    const stdout = await output([program, mcp, ...always, '--method', method, ...args], env);
    return JSON.parse(stdout).result;
  };
  const get = (...args: [string, ...string[]]) => run(...args) as Promise<Results>;
  await run('tools/list');
  return {
    listTools: async () => (await get('tools/list')).tools,
    call: async (tool, args) =>
      (await run('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args))) as Answer,
    listResources: async () => (await get('resources/list')).resources,
    readResource: async (uri) => (await get('resources/read', '--uri', uri)).contents[0]?.text,
    listPrompts: async () => (await get('prompts/list')).prompts,
    getPrompt: async (name, args) => {
      const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      const { messages } = await get('prompts/get', '--prompt-name', name, '--prompt-args', ...pairs);
      return messages[0]?.content.text ?? '';
    },
    close: async () => undefined,
  };
}

/** Runs it to its end. A tool's error ends it with another code than 0, though the result is there. */
function output(args: readonly string[], env: Record<string, string>): Promise<string> {
  return new Promise((done, failed) => {
    execFile('node', args, { env, cwd: env.HOME, maxBuffer: MAX_OUTPUT_BYTES }, (_, stdout, stderr) => {
      if (stdout !== '') done(stdout);
      else failed(new Error(`The Inspector printed nothing but: ${stderr}`));
    });
  });
}
