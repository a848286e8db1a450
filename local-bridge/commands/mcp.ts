import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { MAX_RESULT_CHARS } from '../../src/core/cut.ts';
import { mcpServerFactory } from '../../src/surfaces/mcp.ts';
import { localCaller, localTools } from '../ports.ts';

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of this computer as an MCP server over standard input and output')
    .addHelpText(
      'after',
      '\nExample, as an entry of an MCP client:\n  "bowline": { "command": "bowline", "args": ["mcp"] }',
    )
    .action(serve);
}

function serve(): void {
  // Standard output belongs to the protocol; whatever else is printed would break it.
  console.log = console.error;
  console.info = console.error;
  const caller = { ...localCaller('stdio', 'stdio'), maxResultChars: MAX_RESULT_CHARS };
  serveStdio(mcpServerFactory({ tools: localTools(), callerOf: () => caller }), {
    onerror: (error) => console.error(`bowline mcp: ${error.message}`),
  });
}
