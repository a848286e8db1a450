import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../support/up.ts';
import { wholeProgram } from '../../support/whole-program.ts';

const program = await wholeProgram();
const scripts = Object.keys(JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')).scripts);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: PROJECT }).sort(),
];

/** What a page tells its reader to type: lines of shell, and commands within sentences. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...text.matchAll(/`((?:npx )?bowline [^`]+)`/g)].map(([, line = '']) => line);
  return [...blocks, ...inline].map((line) => line.replace(/\s+#.*$/, '').replace(/^[A-Z_]+=\S+ /, ''));
}

/** What is wrong with a line that calls `bowline`; nothing for any other. */
function problemWith(line: string): string | undefined {
  const [, rest] = /^(?:npx )?bowline (.*)$/.exec(line) ?? [];
  if (rest === undefined) return undefined;
  let command: Command = program;
  const words = rest.split(' ').filter((word) => word !== '' && word !== '…');
  for (const word of words) {
    const options = [...command.options.flatMap(({ short, long }) => [short, long]), '--help', '--version'];
    // A tool's own fields are checked where it is called.
    if (word === '--') return undefined;
    if (word.startsWith('-') && command.name() !== 'call' && !options.includes(word.split('=')[0]))
      return `${command.name()} has no ${word}`;
    const alternatives = word.split('|').map((name) => command.commands.find((one) => one.name() === name));
    if (alternatives.every(Boolean)) command = alternatives[0] ?? command;
    else if (command.commands.length > 0 && command.registeredArguments.length === 0 && /^\w/.test(word))
      return `there is no ${word}`;
  }
  return undefined;
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(PROJECT, page), 'utf8');

  it('holds no rest of a merge', () => {
    expect(text.match(/^(?:<{7}|={7}|>{7})(?: .*)?$/gm)).toBeNull();
  });

  it('leads to files that are there', () => {
    const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)|(?:src|srcset)="([^":]+)"/g)];
    const missing = links
      .map(([, link, image]) => link ?? image ?? '')
      .filter((link) => !existsSync(join(PROJECT, dirname(page), link)));
    expect(missing).toEqual([]);
  });

  it('names commands, options and scripts that exist', () => {
    const commands = commandsIn(text);
    expect(commands.flatMap((line) => problemWith(line) ?? [])).toEqual([]);
    const run = commands.flatMap((line) => /^npm run ([\w:]+)/.exec(line)?.[1] ?? []);
    expect(run.filter((script) => !scripts.includes(script))).toEqual([]);
  });
});

it('CHANGELOG.md says each change once', () => {
  const text = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8');
  const changes = text.split(/^- /m).slice(1);
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.filter((change, at) => changes.indexOf(change) !== at)).toEqual([]);
});
