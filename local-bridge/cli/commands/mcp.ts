import { randomUUID } from 'node:crypto';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Argument, type Command } from 'commander';
import type { ToolName } from '../../../contracts/index.ts';
import { MAX_RESULT_CHARS } from '../../../src/core/cut.ts';
import { instructionsHere } from '../../../src/surfaces/instructions.ts';
import { mcpServerFactory } from '../../../src/surfaces/mcp.ts';
import { localCaller, openHere } from '../ports.ts';

/** The groups of tools that `bowline mcp` can serve alone. */
const GROUPS: Readonly<Record<string, readonly ToolName[]>> = {
  'web-fetch': ['search.web', 'web.fetch'],
  'transcript-clean': ['transcript.clean'],
  mlxctl: ['mlx.load', 'mlx.unload', 'mlx.list'],
};

/** The longest message: the longest body over HTTP, with room for its envelope. */
const MAX_MESSAGE_BYTES = 25_000_000;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of this computer as an MCP server over standard input and output')
    .addArgument(new Argument('[group]', 'only the tools of this group').choices(Object.keys(GROUPS)))
    .addHelpText(
      'after',
      '\nExample, as an entry of an MCP client:\n  "bowline": { "command": "bowline", "args": ["mcp"] }',
    )
    .action(serve);
}

async function serve(group?: string): Promise<void> {
  // Standard output belongs to the protocol, and any other text would break it.
  console.log = console.error;
  console.info = console.error;
  const only: readonly string[] | undefined = group === undefined ? undefined : GROUPS[group];
  const { tools, roots, close } = await openHere({
    asksHere: false,
    staysOpen: true,
    ...(only ? { only } : {}),
  });
  const caller = { ...localCaller('stdio', 'stdio'), maxResultChars: MAX_RESULT_CHARS };
  const instructions = only === undefined ? instructionsHere(roots) : undefined;
  // The space keeps it apart from every idempotency key.
  const connection = `stdio ${randomUUID()}`;
  serveStdio(
    mcpServerFactory({ tools, callerOf: () => caller, connection, instructionsOf: () => instructions }),
    {
      transport: new StdioServerTransport(process.stdin, process.stdout, {
        maxBufferSize: MAX_MESSAGE_BYTES,
      }),
      onerror: (error) => console.error(`bowline mcp: ${error.message}`),
    },
  );
  const end = () => void close().then(() => process.exit());
  process.stdin.once('end', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}
