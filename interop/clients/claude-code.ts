import { readFileSync, writeFileSync } from 'node:fs';
import type { Answer, Client, Endpoint } from '../client.ts';
import type { Heard } from '../models/scripted-model.ts';
import { listOf, messages } from '../models/speeches.ts';
import { bearer, inPackage } from '../surroundings.ts';
import { type Agent, agent, inHome } from './agent.ts';

const PREFIX = 'mcp__bowline__';
const DEBUG = 'debug.txt';

/** Claude Code's own program, as `claude -p` runs it, with every tool in its model's view from the start. */
const claude: Agent = {
  speech: messages,
  start: ({ url, mcp }, endpoint) => {
    const config = inHome(endpoint, 'mcp.json');
    const server = { type: 'http', url: mcp, headers: bearer(endpoint.token) };
    writeFileSync(config, JSON.stringify({ mcpServers: { bowline: server } }));
    const servers = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__bowline'];
    const prints = ['--output-format', 'stream-json', '--verbose', '--debug-file', inHome(endpoint, DEBUG)];
    return {
      args: [
        inPackage('@anthropic-ai/claude-code', 'cli-wrapper.cjs'),
        '-p',
        'Do it.',
        ...servers,
        ...prints,
      ],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
    };
  },
  toolName: (tool) => PREFIX + tool,
  tools: ({ tools }) =>
    listOf(tools).flatMap(({ name, input_schema: inputSchema }) =>
      String(name).startsWith(PREFIX) ? [{ name: String(name).slice(PREFIX.length), inputSchema }] : [],
    ),
  answer: ({ messages: all }) => {
    const blocks = listOf(all).flatMap(({ content }) => listOf(content));
    const { content, is_error: isError } = blocks.findLast(({ type }) => type === 'tool_result') ?? {};
    return { content: textOf(content), isError: isError === true } satisfies Answer;
  },
  resources: {
    list: { tool: 'ListMcpResourcesTool', args: { server: 'bowline' } },
    read: (uri) => ({ tool: 'ReadMcpResourceTool', args: { server: 'bowline', uri } }),
  },
  problem: (_, folder) => {
    const lines = readFileSync(`${folder}/${DEBUG}`, 'utf8').split('\n');
    return lines.filter((line) => /"bowline".*(?:error|fail)/i.test(line)).join('\n');
  },
  cancels: true,
};

/** Gives an answer without what Claude Code adds to it for its model. */
function textOf(content: unknown): string {
  const text =
    typeof content === 'string'
      ? content
      : listOf(content)
          .map(({ text: one }: Heard) => one ?? '')
          .join('\n');
  return text.replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\s*$/, '');
}

export function claudeCode(endpoint: Endpoint): Promise<Client> {
  return agent(claude, endpoint);
}
