import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Endpoint } from '../client.ts';
import { listOf, responses } from '../models/speeches.ts';
import { inPackage } from '../surroundings.ts';
import { type Agent, agent, inHome } from './agent.ts';

const NAMESPACE = 'mcp__bowline';

/** Codex's own program, as `codex exec` runs it. */
const program: Agent = {
  speech: responses,
  start: ({ url, mcp }, endpoint) => {
    const home = inHome(endpoint, '.codex');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.toml'), settings(url, mcp));
    const args = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'read-only', 'Do it.'];
    return {
      args: [inPackage('@openai/codex', 'bin', 'codex.js'), ...args],
      env: { CODEX_HOME: home, BOWLINE_TOKEN: endpoint.token },
    };
  },
  toolName: (tool) => `${NAMESPACE}/${tool}`,
  tools: ({ tools }) =>
    listOf(tools)
      .filter(({ name }) => name === NAMESPACE)
      .flatMap((own) => listOf(own.tools))
      .map(({ name, parameters: inputSchema }) => ({ name: String(name), inputSchema })),
  answer: ({ input }) => {
    const { output } = listOf(input).findLast(({ type }) => type === 'function_call_output') ?? {};
    const said =
      typeof output === 'string'
        ? output
        : listOf(output)
            .map(({ text }) => text ?? '')
            .join('\n');
    const content = said.replace(/^Wall time: .*\nOutput:\n/, '');
    // Its model is told of an error in words alone.
    return { content, isError: /^Error: /.test(content) };
  },
  resources: {
    list: { tool: 'list_mcp_resources', args: { server: 'bowline' } },
    read: (uri) => ({ tool: 'read_mcp_resource', args: { server: 'bowline', uri } }),
  },
  problem: (said) =>
    said
      .split('\n')
      .filter((line) => line.includes(' ERROR '))
      .join('\n'),
};

function settings(model: string, mcp: string): string {
  return `model = "gpt-5"
model_provider = "scripted"
approval_policy = "never"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
[mcp_servers.bowline]
url = "${mcp}"
bearer_token_env_var = "BOWLINE_TOKEN"
tool_timeout_sec = 100
`;
}

export function codex(endpoint: Endpoint): Promise<Client> {
  return agent(program, endpoint);
}
