import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import type { AnyContract } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { REPLAYED, replayLine } from '../../../contracts/machine-fields.ts';
import type { Result } from '../../../src/core/call.ts';
import { doorFailure, type Failure } from '../../../src/core/failure.ts';
import { JsonRefused, parseStrictJson } from '../../../src/core/json.ts';
import { nearest } from '../../../src/core/nearest.ts';
import { visible } from '../../../src/core/visible.ts';
import { isJoinedName } from '../../../src/joined/names.ts';
import { CliError, EXIT, type ExitCode } from '../../lib/exit.ts';
import { callGateway } from '../../lib/gateway-client.ts';
import { gatewayUrl } from '../../lib/gateway-url.ts';
import { complain, detail, done, printJson } from '../../lib/print.ts';
import { argumentsFrom } from '../arguments.ts';
import { toolHelp } from '../tool-help.ts';

/** Load what runs on this computer only if needed: it is slow, and a call through a gateway does not use it. */
const loadHere = () => import('../ports.ts');

interface Options {
  readonly input?: string;
  readonly json?: boolean;
  readonly local?: boolean;
  readonly wait?: number;
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
    .option(
      '--wait <seconds>',
      'how many seconds to wait for your approval at a gateway, up to 270 (default: 40)',
      waitSeconds,
    )
    .allowUnknownOption()
    .passThroughOptions(false)
    // After the name of a tool, `--help` is about that tool.
    .helpOption(false)
    .addHelpText(
      'after',
      '\nExamples:\n  bowline call hello --name Ada\n  bowline call hello --input \'{"name":"Ada"}\' --json\n  bowline call read_file --help',
    )
    .action(async (name: string, words: string[], options: Options, command: Command) => {
      if (isHelp(name)) return command.outputHelp();
      const url = options.local ? undefined : gatewayUrl();
      const started = performance.now();
      if (isJoinedName(name) && url === undefined) {
        process.exitCode = await callJoinedHere(name, words, options, started);
        return;
      }
      const contract = isJoinedName(name) && url ? await joinedContract(url, name) : contractCalled(name);
      if (words.some(isHelp)) return console.log(toolHelp(contract));
      const result = await run(contract, await argumentsOf(contract, words, options), options);
      process.exitCode = show(contract, result, options, performance.now() - started);
    });
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Node's own `fetch` gives up on an answer that does not begin within 300 seconds. */
const LONGEST_WAIT_S = 270;

function waitSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= LONGEST_WAIT_S) return seconds;
  throw new InvalidArgumentError(`Give whole seconds from 0 to ${LONGEST_WAIT_S}.`);
}

async function joinedContract(url: string, name: string): Promise<AnyContract> {
  const { listedContract } = await import('../../agent/servers/listed-contract.ts');
  return listedContract(url, name);
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
      'Give the arguments either as --input or as --field value, not both.',
      undefined,
      EXIT.usage,
    );
  }
  try {
    return parseStrictJson(input === '-' ? await text(process.stdin) : input);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw new CliError(`--input: ${error.message}`, 'Quote the whole object for your shell.', EXIT.usage);
  }
}

async function run(contract: AnyContract, args: unknown, { local, wait }: Options): Promise<Result> {
  const url = gatewayUrl();
  if (!local && url) return callGateway(url, contract, args, wait);
  const { localContracts } = await loadHere();
  if (localContracts.includes(contract)) return runHere(contract, args);
  if (local) throw new CliError(`${contract.wireName} does not run on this computer.`, 'Leave out --local.');
  throw new CliError(
    `${contract.wireName} needs a gateway, and none is set.`,
    'Set BOWLINE_URL to its address, or start one here with `bowline up`.',
  );
}

async function runHere(contract: AnyContract, args: unknown): Promise<Result> {
  const { localCaller, openHere } = await loadHere();
  const here = await openHere({ asksHere: true, staysOpen: false, only: [contract.name] });
  try {
    const tool = here.tools.get(contract.wireName);
    if (tool) return await tool.call(args, localCaller('cli', 'bowline call'));
    throw new CliError(
      `${contract.wireName} does not run here: this computer's own settings forbid it.`,
      'Remove it from `deny` in bridge.json.',
    );
  } finally {
    await here.close();
  }
}

/** Calls a tool of a server that this computer joins. The tool is known once the server has listed it. */
async function callJoinedHere(
  name: string,
  words: string[],
  options: Options,
  started: number,
): Promise<ExitCode> {
  const { localCaller, openHere } = await loadHere();
  const here = await openHere({ asksHere: true, staysOpen: false, only: [name] });
  try {
    const tool = here.tools.get(name);
    if (!tool) {
      throw new CliError(
        `No server that this computer joins has a tool ${JSON.stringify(name)}.`,
        'Run `bowline servers list` to see what they offer.',
        EXIT.usage,
      );
    }
    const args = await argumentsOf(tool.contract, words, options);
    const result = await tool.call(args, localCaller('cli', 'bowline call'));
    return show(tool.contract, result, options, performance.now() - started);
  } finally {
    await here.close();
  }
}

function show(contract: AnyContract, result: Result, { json }: Options, ms: number): ExitCode {
  switch (result.kind) {
    case 'ok':
      return showOutput(contract, result.output, json, ms);
    case 'failed':
      return showFailure(result.failure, json);
    case 'needs_input':
      return showFailure(doorFailure('approval_required'), json);
  }
}

/** The answer of a machine tool, with any other fields. */
const envelopeShape = z.looseObject({
  success: z.boolean(),
  output: z.string(),
  execution_time_ms: z.number(),
  metadata: z.looseObject({ location: z.string().optional() }),
});

function showOutput(contract: AnyContract, output: unknown, json: boolean | undefined, ms: number): ExitCode {
  const envelope = envelopeShape.safeParse(output).data;
  const replayed = replayLine(output);
  if (replayed && !json) console.log(replayed);
  if (json) printJson(envelope ? { tool: contract.wireName, ...(output as object) } : output);
  else if (envelope) showEnvelope(envelope);
  else {
    done(visible(contract.headline?.(output) ?? JSON.stringify(output)));
    detail('Time', `${Math.round(ms)}ms`);
  }
  return envelope?.success === false ? EXIT.failed : EXIT.done;
}

function showEnvelope({
  success,
  output,
  execution_time_ms,
  metadata,
}: z.output<typeof envelopeShape>): void {
  const [first = '', ...rest] = output.replace(/\n$/, '').split('\n');
  if (success) done(visible(first));
  else complain(visible(first));
  // The text of a file or a command may try to drive the terminal.
  for (const line of rest) console.log(visible(line));
  if (metadata.location !== undefined) detail('Location', visible(metadata.location));
  detail('Time', `${execution_time_ms}ms`);
}

function showFailure(failure: Failure, json: boolean | undefined): ExitCode {
  if (json) console.log(JSON.stringify(failure, null, 2));
  else if (failure.code === 'unauthorized' && !process.env.BOWLINE_TOKEN)
    complain('This computer is signed out.', 'Run `bowline login`.');
  else complain(`${failure.replayed ? `${REPLAYED} ` : ''}Error: ${failure.message}`, failure.suggestion);
  if (failure.code.startsWith('approval_')) return EXIT.approval;
  return failure.code === 'invalid_input' ? EXIT.usage : EXIT.failed;
}
