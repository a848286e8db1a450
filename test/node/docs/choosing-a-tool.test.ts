import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { mcpTool } from '../../../src/surfaces/describe.ts';
import { PROJECT } from '../../support/up.ts';

const page = readFileSync(join(PROJECT, 'docs', 'choosing-a-tool.md'), 'utf8');
const rows = [...page.matchAll(/^\| (.+) \| `(\w+)` \|$/gm)].map(([, task = '', tool = '']) => ({
  task,
  tool,
}));
const described = new Map(
  Object.values(catalogue)
    .map(mcpTool)
    .map(({ name, description }) => [name, description]),
);

describe('docs/choosing-a-tool.md', () => {
  it('has forty tasks, each for a tool that there is', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(new Set(rows.map(({ task }) => task)).size).toBe(rows.length);
    expect(rows.filter(({ tool }) => !described.has(tool))).toEqual([]);
  });

  // A model that meets one of a pair first has to learn of the other.
  it.each([
    ['read_file', 'read_repo_file'],
    ['read_repo_file', 'read_file'],
    ['list_dir', 'list_repo'],
    ['list_repo', 'list_dir'],
    ['grep_search', 'search'],
    ['search', 'grep_search'],
    ['search', 'search_web'],
    ['fetch', 'web_fetch'],
    ['fetch_webpage', 'web_fetch'],
    ['replace_string_in_file', 'edit_files'],
    ['search_web', 'web_fetch'],
  ])('tells %s from %s in the description', (tool, other) => {
    expect(described.get(tool)).toContain(`\`${other}\``);
  });
});
