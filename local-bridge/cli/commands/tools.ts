import { styleText } from 'node:util';
import type { Command } from 'commander';
import * as z from 'zod';
import type { AnyContract } from '../../../contracts/contract.ts';
import { META } from '../../../src/core/meta-names.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { mcpTool, openAiFunction } from '../../../src/surfaces/describe.ts';
import { CliError } from '../../lib/exit.ts';
import { bearerFor, reach } from '../../lib/gateway-client.ts';
import { gatewayUrl } from '../../lib/gateway-url.ts';
import { printJson } from '../../lib/print.ts';
import { localContracts } from '../ports.ts';

const listShape = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      _meta: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
type Listed = z.infer<typeof listShape>['tools'];

interface Options {
  readonly json?: boolean;
  readonly openai?: boolean;
  readonly local?: boolean;
}

export function addToolsCommand(program: Command): void {
  program
    .command('tools')
    .description('list the tools, with what each may do: the gateway’s, or this computer’s if there is none')
    .option('--json', "print them as MCP's tools/list does, with the status, transport and endpoint of each")
    .option('--openai', "print them in OpenAI's function format")
    .option('--local', 'list what runs on this computer without a gateway')
    .addHelpText('after', '\nExamples:\n  bowline tools\n  bowline tools --openai > functions.json')
    .action(list);
}

async function list({ json, openai, local }: Options): Promise<void> {
  const url = local ? undefined : gatewayUrl();
  if (openai) printJson(url ? await ask(url, '/openai/functions.json') : localContracts.map(openAiFunction));
  else {
    const tools = listShape.parse(url ? await ask(url, '/tools') : { tools: localContracts.map(localEntry) });
    if (json) printJson(tools);
    else printTable(tools.tools);
  }
}

/** Describes a tool that runs on this computer without a gateway. */
function localEntry(contract: AnyContract) {
  return { ...mcpTool(contract), status: 'active', transport: 'mcp (stdio)', endpoint: 'bowline mcp' };
}

async function ask(url: string, path: string): Promise<unknown> {
  const response = await reach(url + path, { headers: await bearerFor(url) });
  if (response.ok) return response.json();
  throw new CliError(
    `${url} answered ${response.status} when asked for its tools.`,
    'Is that a Bowline gateway?',
  );
}

function printTable(tools: Listed): void {
  const width = Math.max(...tools.map(({ name }) => name.length));
  for (const { name, description, _meta } of tools) {
    const [first = ''] = description.split(/(?<=\.)\s/);
    const asks = _meta?.[`${META}/approval`] === 'ask' ? ', asks first' : '';
    const risk = String(_meta?.[`${META}/risk`] ?? 'not graded');
    console.log(
      `${visibleLine(name.padEnd(width))}  ${visibleLine(first)} ${styleText('dim', `(${visibleLine(risk)}${asks})`)}`,
    );
  }
}
