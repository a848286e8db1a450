import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyContract } from '../contracts/contract.ts';
import { catalogue } from '../contracts/index.ts';
import { mcpTool, openAiFunction } from '../src/surfaces/describe.ts';
import { openApi } from '../src/surfaces/openapi.ts';
import { toolsMarkdown } from './tools-markdown.ts';

/** Writes `contracts/generated/`. With `--check`, only says whether anything would change. */
const contracts: AnyContract[] = Object.values(catalogue);
const files = {
  'mcp-tools.json': json({ tools: contracts.map(mcpTool) }),
  'openapi.json': json(openApi(contracts)),
  'openai-functions.json': json(contracts.map(openAiFunction)),
  'TOOLS.md': toolsMarkdown(contracts),
};

const folder = join(import.meta.dirname, '..', 'contracts', 'generated');
const check = process.argv.includes('--check');
const stale: string[] = [];
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = join(folder, name);
  const current = await readFile(path, 'utf8').catch(() => '');
  if (current === text) continue;
  stale.push(name);
  if (!check) await writeFile(path, text);
}
if (stale.length === 0) console.log('contracts/generated is up to date.');
else if (!check) console.log(`Wrote ${stale.join(', ')}.`);
else {
  console.error(
    `contracts/generated is stale (${stale.join(', ')}). Run \`npm run generate\` and commit the result.`,
  );
  process.exit(1);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
