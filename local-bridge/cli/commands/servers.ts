import type { Command } from 'commander';
import * as z from 'zod';
import { isServerName, SEPARATOR, SERVER_NAME_RULE } from '../../../src/joined/names.ts';
import { joinStdioServers } from '../../agent/servers/join.ts';
import { dropServer, serversIn, writeServer } from '../../agent/servers/settings-file.ts';
import { type ShownServer, serverShape, showServer } from '../../agent/servers/show.ts';
import { pageToOpen } from '../../lib/browser.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { gatewayUrl, requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { done, printJson } from '../../lib/print.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { saysYes } from '../../lib/says-yes.ts';

const one = z.object({ server: serverShape });
const GRADES = ['read_only', 'safe_write', 'dangerous', 'none'] as const;

interface AddOptions {
  readonly url?: string;
  readonly tokenEnv?: string;
  readonly signIn?: boolean;
  readonly allow?: string[];
  readonly env?: string[];
}

export function addServersCommands(program: Command): void {
  const servers = program.command('servers').description('other MCP servers, joined to this one');
  servers
    .command('add')
    .description('join a server: one at a URL, or one that this machine starts')
    .argument('<name>', 'the name that its tools’ names begin with')
    .argument('[command...]', 'after --, the command that starts it here')
    .option('--url <url>', 'the address where the gateway reaches it')
    .option('--token-env <name>', 'the environment variable that holds a bearer token for it')
    .option('--sign-in', 'sign in at it in the browser')
    .option('--allow <tool>', 'offer only this tool; repeat it for more', gather)
    .option('--env <NAME=value>', 'put this into its environment; repeat it for more', gather)
    .addHelpText(
      'after',
      '\nExamples:\n  bowline servers add docs --url https://example.com/mcp --token-env DOCS_TOKEN' +
        '\n  bowline servers add files -- mcp-server-filesystem ~/notes',
    )
    .action(add);
  servers
    .command('list', { isDefault: true })
    .description('show what the servers offer, what is left out and why')
    .option('--json', 'print it as JSON')
    .action(list);
  servers
    .command('check')
    .description('ask the servers for their lists now')
    .argument('[name]', 'only this one')
    .option('--json', 'print it as JSON')
    .action(check);
  servers.command('remove').description('remove a server').argument('<name>').action(remove);
  servers
    .command('grade')
    .description('grade a tool: read_only runs without asking; every other grade, and none, asks each time')
    .argument('<tool>', 'its whole name, as `servers list` prints it')
    .argument('<grade>', GRADES.join(', '))
    .action(grade);
  servers
    .command('accept')
    .description('grade all new tools of a server as its own hints propose, after showing them')
    .argument('<server>', 'its name')
    .option('--yes', 'accept without asking')
    .action(accept);
}

/** Grades all new tools of a server as its hints propose, once the owner saw them and said yes. */
async function accept(name: string, { yes }: { yes?: boolean }): Promise<void> {
  const path = `servers/${encodeURIComponent(name)}`;
  await asOwner(requiredGateway(), async (owner) => {
    const { server } = one.parse(await owner.call('GET', path));
    const proposed = server.tools.filter(({ proposal }) => proposal !== null);
    if (proposed.length === 0) {
      console.log(`${name} has no new tool whose hints propose a grade.`);
      return;
    }
    showServer({ ...server, tools: proposed, leftOut: [] });
    console.log(`${name} says so itself; nobody vouches for it. read_only runs without asking.`);
    if (!yes && !isRealTerminal())
      throw new CliError('There is no terminal to ask in.', 'Add --yes to accept these grades.', EXIT.usage);
    if (
      !yes &&
      !(await saysYes(
        `Accept ${proposed.length === 1 ? 'this grade' : `these ${proposed.length} grades`}? (y/n): `,
      ))
    ) {
      console.log('Nothing was graded.');
      return;
    }
    const tools = proposed.map(({ name: tool, hash }) => ({ name: tool, hash }));
    await owner.call('POST', `${path}/proposals`, { tools });
    done(`Graded ${tools.length === 1 ? '1 tool' : `${tools.length} tools`} of ${name}.`);
  });
}

function gather(word: string, words: string[] = []): string[] {
  return [...words, word];
}

async function add(name: string, command: string[], options: AddOptions): Promise<void> {
  if (!isServerName(name)) throw new CliError(SERVER_NAME_RULE, undefined, EXIT.usage);
  const { url, tokenEnv, signIn, allow, env = [] } = options;
  if ((url === undefined) === (command.length === 0)) {
    throw new CliError('Give either --url or a command after --.', undefined, EXIT.usage);
  }
  if (url === undefined) {
    const [program = '', ...args] = command;
    const entry = { command: program, args, env: environmentIn(env), ...(allow ? { allow } : {}) };
    writeServer(bowlineHome(), name, entry);
    await checkHere(name);
    done(`Added ${name}. A running bridge starts it within seconds.`);
    return;
  }
  const token = tokenEnv === undefined ? undefined : process.env[tokenEnv];
  if (tokenEnv !== undefined && !token) throw new CliError(`${tokenEnv} is not set.`, undefined, EXIT.usage);
  const body = { name, url, ...(token ? { token } : {}), ...(allow ? { allow } : {}) };
  await asOwner(requiredGateway(), async (owner) => {
    const { server } = one.parse(await owner.call('POST', 'servers', body));
    if (signIn) {
      const begun = z
        .object({ url: z.string() })
        .parse(await owner.call('POST', `servers/${name}/sign-in`, {}));
      console.log(
        `Sign in here, in the browser you use Bowline's console in:\n  ${pageToOpen(begun.url, `The sign-in page of ${name}`)}`,
      );
    } else showServer(server);
  });
  done(`Joined ${name}.`);
}

function environmentIn(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new CliError('--env is written NAME=value.', undefined, EXIT.usage);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const url = gatewayUrl();
  const joined = url === undefined ? [] : await atGateway(url);
  const here = Object.keys(serversIn(bowlineHome()));
  if (json) return printJson({ servers: joined, here });
  for (const server of joined) showServer(server);
  const unknown = here.filter((name) => !joined.some((server) => server.name === name));
  for (const name of unknown) console.log(`${name}  in bridge.json of this machine`);
  if (joined.length + unknown.length === 0)
    console.log('No server is joined. `bowline servers add` joins one.');
}

async function check(name: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const mine = Object.keys(serversIn(bowlineHome()));
  const here = mine.filter((one) => name === undefined || one === name);
  const url = gatewayUrl();
  if (name !== undefined && here.length === 0 && url === undefined) throw unknownServer(name);
  const shown: ShownServer[] = [];
  if (here.length > 0) shown.push(...(await lookHere(here)));
  if (url !== undefined && (name === undefined || here.length === 0)) {
    shown.push(
      ...(await asOwner(url, async (owner) => {
        const { servers } = z
          .object({ servers: z.array(serverShape) })
          .parse(await owner.call('GET', 'servers'));
        const asked = servers.filter(
          (server) => server.url !== null && (name === undefined || server.name === name),
        );
        if (name !== undefined && asked.length === 0) throw unknownServer(name);
        const checks = asked.map((server) => owner.call('POST', `servers/${server.name}/check`, {}));
        return (await Promise.all(checks)).map((answer) => one.parse(answer).server);
      })),
    );
  }
  if (json) printJson({ servers: shown });
  else for (const server of shown) showServer(server);
  if (shown.some(({ problem }) => problem !== null)) process.exitCode = EXIT.failed;
}

async function checkHere(name: string): Promise<void> {
  for (const server of await lookHere([name])) showServer(server);
}

/** Starts the servers of this machine's settings for a moment, to see their tools. */
async function lookHere(names: readonly string[]): Promise<ShownServer[]> {
  const servers = Object.fromEntries(
    Object.entries(serversIn(bowlineHome())).filter(([name]) => names.includes(name)),
  );
  const joined = await joinStdioServers(servers);
  try {
    return joined.report().map(({ name, is, problem, conformity }) => ({
      name,
      url: null,
      machine: null,
      problem: is === 'up' ? null : (problem ?? 'It did not list its tools in time.'),
      checkedAt: Date.now(),
      tools: conformity.tools.map((tool) => ({
        ...tool,
        flags: [...tool.flags],
        wireName: name + SEPARATOR + tool.name,
        grade: null,
        changedAt: null,
        proposal: null,
      })),
      leftOut: conformity.leftOut.map((left) => ({ name: left.name, reasons: [...left.reasons] })),
    }));
  } finally {
    await joined.close();
  }
}

async function remove(name: string): Promise<void> {
  if (dropServer(bowlineHome(), name)) {
    done(`Removed ${name} from bridge.json. A running bridge stops it within seconds.`);
    return;
  }
  await asOwner(requiredGateway(), (owner) => owner.call('DELETE', `servers/${encodeURIComponent(name)}`));
  done(`Removed ${name}.`);
}

async function grade(wireName: string, said: string): Promise<void> {
  const known = GRADES.find((one) => one === said);
  const at = wireName.indexOf(SEPARATOR);
  if (!known) throw new CliError(`A grade is one of ${GRADES.join(', ')}.`, undefined, EXIT.usage);
  if (at < 1)
    throw new CliError(
      'The name of a joined tool is its server’s and its own, with __ between.',
      undefined,
      EXIT.usage,
    );
  const [server, tool] = [wireName.slice(0, at), wireName.slice(at + SEPARATOR.length)];
  await asOwner(requiredGateway(), async (owner) => {
    const found = one.parse(await owner.call('GET', `servers/${encodeURIComponent(server)}`)).server;
    const seen = found.tools.find(({ name }) => name === tool);
    if (!seen)
      throw new CliError(`${server} has no tool ${tool}.`, '`bowline servers list` shows what there is.');
    showServer({ ...found, tools: [seen], leftOut: [] });
    const body = { tool, hash: seen.hash, grade: known === 'none' ? null : known };
    await owner.call('POST', `servers/${encodeURIComponent(server)}/grade`, body);
  });
  done(`${wireName} is ${known === 'none' ? 'not graded any more' : known}.`);
}

async function atGateway(url: string): Promise<ShownServer[]> {
  const answer = await asOwner(url, (owner) => owner.call('GET', 'servers'));
  return z.object({ servers: z.array(serverShape) }).parse(answer).servers;
}

function unknownServer(name: string): CliError {
  return new CliError(`No server called ${name} is joined.`, '`bowline servers list` shows what there is.');
}
