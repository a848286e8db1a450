import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { AnyContract } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import type { Result } from '../../src/core/call.ts';
import { doorFailure, type Failure } from '../../src/core/failure.ts';
import { JsonRefused, parseStrictJson } from '../../src/core/json.ts';
import { nearest } from '../../src/core/nearest.ts';
import { visible } from '../../src/core/visible.ts';
import { argumentsFrom } from '../arguments.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { callGateway } from '../gateway-client.ts';
import { gatewayUrl } from '../gateway-url.ts';
import { localCaller, localTools } from '../ports.ts';
import { complain, detail, done } from '../print.ts';

interface Options {
  readonly input?: string;
  readonly json?: boolean;
  readonly local?: boolean;
}

export function addCallCommand(program: Command): void {
  program
    .command('call')
    .description('run a tool')
    .argument('<tool>', 'its name, as `bowline tools` prints it')
    .argument('[fields...]', 'its arguments, each as --field value')
    .option('--input <json>', 'all arguments as one JSON object; `-` reads it from standard input')
    .option('--json', 'print the result, or the error, as JSON')
    .option('--local', 'run it on this computer, without a gateway')
    .allowUnknownOption()
    .passThroughOptions(false)
    .addHelpText(
      'after',
      '\nExamples:\n  bowline call hello --name Ada\n  bowline call hello --input \'{"name":"Ada"}\' --json',
    )
    .action(async (name: string, words: string[], options: Options) => {
      const contract = contractCalled(name);
      const started = performance.now();
      const result = await run(contract, await argumentsOf(contract, words, options), options);
      process.exitCode = show(contract, result, options, performance.now() - started);
    });
}

function contractCalled(name: string): AnyContract {
  const contracts: AnyContract[] = Object.values(catalogue);
  const contract = contracts.find(({ wireName }) => wireName === name);
  if (contract) return contract;
  const close = nearest(
    name,
    contracts.map(({ wireName }) => wireName),
  );
  const suggestion = close ? `Did you mean ${close}?` : 'Run `bowline tools` to see what there is.';
  throw new CliError(`There is no tool called ${JSON.stringify(name)}.`, suggestion, EXIT.usage);
}

async function argumentsOf(contract: AnyContract, words: string[], { input }: Options): Promise<unknown> {
  if (input === undefined) return argumentsFrom(words, contract);
  if (words.length > 0) {
    throw new CliError(
      'Arguments come either as --input or as --field value, not both.',
      undefined,
      EXIT.usage,
    );
  }
  try {
    return parseStrictJson(input === '-' ? readFileSync(0, 'utf8') : input);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw new CliError(`--input: ${error.message}`, 'Quote the whole object for your shell.', EXIT.usage);
  }
}

async function run(contract: AnyContract, args: unknown, { local }: Options): Promise<Result> {
  const url = gatewayUrl();
  if (!local && url) return callGateway(url, contract, args);
  const tool = localTools().get(contract.wireName);
  if (tool) return tool.call(args, localCaller('cli', 'bowline call'));
  if (local) throw new CliError(`${contract.wireName} does not run on this computer.`, 'Leave out --local.');
  throw new CliError(
    `${contract.wireName} runs behind a gateway, and none is named.`,
    'Set BOWLINE_URL to its address, or start one here with `bowline up`.',
  );
}

function show(contract: AnyContract, result: Result, { json }: Options, ms: number): ExitCode {
  switch (result.kind) {
    case 'ok':
      if (json) console.log(JSON.stringify(result.output, null, 2));
      else {
        done(visible(contract.headline?.(result.output) ?? JSON.stringify(result.output)));
        detail('Time', `${Math.round(ms)}ms`);
      }
      return EXIT.done;
    case 'failed':
      return showFailure(result.failure, json);
    case 'needs_input':
      return showFailure(doorFailure('approval_required'), json);
  }
}

function showFailure(failure: Failure, json: boolean | undefined): ExitCode {
  if (json) console.log(JSON.stringify(failure, null, 2));
  else complain(`${visible(failure.message)} ${visible(failure.suggestion)}`);
  if (failure.code.startsWith('approval_')) return EXIT.approval;
  return failure.code === 'invalid_input' ? EXIT.usage : EXIT.failed;
}
