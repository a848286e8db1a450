import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { AnyContract } from '../../contracts/contract.ts';
import { mcpTool, openAiFunction } from '../../src/surfaces/describe.ts';
import { localTools } from '../ports.ts';
import { printJson } from '../print.ts';

export function addToolsCommand(program: Command): void {
  program
    .command('tools')
    .description('list the tools, with what each may do')
    .option('--json', "print them as MCP's tools/list does")
    .option('--openai', "print them in OpenAI's function format")
    .addHelpText('after', '\nExamples:\n  bowline tools\n  bowline tools --openai > functions.json')
    .action(({ json, openai }: { json?: boolean; openai?: boolean }) => {
      const contracts = [...localTools().values()].map((tool) => tool.contract);
      if (openai) printJson(contracts.map(openAiFunction));
      else if (json) printJson({ tools: contracts.map(mcpTool) });
      else printTable(contracts);
    });
}

function printTable(contracts: readonly AnyContract[]): void {
  const width = Math.max(...contracts.map((contract) => contract.wireName.length));
  for (const contract of contracts) {
    const [first] = contract.description.split(/(?<=\.)\s/);
    const asks = contract.approval === 'ask' ? ', asks first' : '';
    console.log(
      `${contract.wireName.padEnd(width)}  ${first} ${styleText('dim', `(${contract.risk}${asks})`)}`,
    );
  }
}
