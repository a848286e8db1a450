import type { Output } from '../../../contracts/contract.ts';
import type { gitRead } from '../../../contracts/git.ts';
import { redact } from '../../../src/core/redact.ts';
import { visible, visibleLine } from '../../../src/core/visible.ts';
import { changesBetween, contentsOf, emptyTree } from '../git/changes.ts';
import type { Repository } from '../git/git.ts';
import { type GitProblem, isProblem } from '../git/repository.ts';
import { shown } from '../workspace/path-rules.ts';
import { cleanLines } from './edits-diff.ts';
import { isBinary } from './files-text.ts';
import { count, diffText } from './git-files.ts';
import type { GitMistake, GitQuery, GitReading } from './git-reading.ts';

const MAX_BLAMED = 500;
const MAX_BLAMED_FILE = 2 * 1024 * 1024;
/** The most characters of a commit's message to show. */
const MAX_MESSAGE = 8_000;

type Commit = NonNullable<Output<typeof gitRead>['metadata']['commits']>[number];

/** Lists commits, newest first. */
export async function log({ repository, path, input }: GitQuery): Promise<GitReading | GitProblem> {
  const from = await repository.commit(input.ref ?? 'HEAD');
  if (isProblem(from)) return from;
  const more = [`--max-count=${input.limit + 1}`, `--skip=${input.skip}`];
  const { commits, problem } = await commitsFrom(repository, [
    ...more,
    from,
    '--',
    ...(path === '.' ? [] : [path]),
  ]);
  if (problem) return problem;
  const listed = commits.slice(0, input.limit);
  const truncated = commits.length > listed.length;
  const rest = truncated ? `[There are more. Ask with \`skip\`: ${input.skip + listed.length}.]\n` : '';
  return {
    head: `${count(listed.length, 'commit')} of ${shown(input.ref ?? 'HEAD')}${input.path === '.' ? '' : ` that changed ${shown(input.path)}`}`,
    body: listed.map((commit) => `  ${oneLine(commit)}\n`).join('') + rest,
    metadata: { commits: listed, truncated },
  };
}

/** Shows a commit and its changes since its first parent. */
export async function show({ repository, path, input, ports }: GitQuery): Promise<GitReading | GitProblem> {
  const id = await repository.commit(input.ref ?? 'HEAD');
  if (isProblem(id)) return id;
  const { commits, messages, problem } = await commitsFrom(repository, ['--max-count=1', id, '--']);
  if (problem) return problem;
  const [commit] = commits;
  if (!commit) return { problem: 'unknown_ref', why: 'The repository has no such commit, branch or tag.' };
  const base = commit.parents[0] ?? (await emptyTree(repository));
  if (isProblem(base)) return base;
  const found = await changesBetween(repository, base, { id }, path);
  if (isProblem(found)) return found;
  const written = await diffText(found, { repository, ports, fromFiles: false });
  if (isProblem(written)) return written;
  const message = (messages[0] ?? '').trimEnd().replaceAll(/^/gm, '    ');
  return {
    head: `Commit ${oneLine(commit)}`,
    body: `${message}\n${written.body}`,
    metadata: { ...written.metadata, commits: [commit] },
  };
}

const FORMAT = ['%H', '%P', '%an', '%aI', '%D', '%B'].join('%x00');
const FIELDS = 6;

async function commitsFrom(repository: Repository, args: readonly string[]) {
  // With `-z` a NUL follows each commit, and no field can hold one.
  const fixed = [
    'log',
    '-z',
    `--format=${FORMAT}`,
    '--no-color',
    '--no-show-signature',
    '--no-mailmap',
    '--no-notes',
  ];
  const { out, problem } = await repository.run([...fixed, '--no-patch', ...args]);
  const parts = out.toString('utf8').split('\0');
  const commits: Commit[] = [];
  const messages: string[] = [];
  for (let at = 0; at + FIELDS <= parts.length; at += FIELDS) {
    const [id = '', parents = '', author = '', date = '', refs = '', body = ''] = parts.slice(
      at,
      at + FIELDS,
    );
    const message = redact(visible(body.slice(0, 2 * MAX_MESSAGE))).slice(0, MAX_MESSAGE);
    messages.push(message);
    commits.push({
      id,
      parents: parents.split(' ').filter(Boolean),
      author: redact(visibleLine(author, 100)),
      date,
      subject: visibleLine(message.trimStart().split('\n', 1)[0] ?? '', 300),
      refs: refs.split(', ').filter(Boolean).slice(0, 20).map(shown),
    });
  }
  return { commits, messages, problem };
}

function oneLine({ id, date, author, subject, refs }: Commit): string {
  return `${id.slice(0, 10)} ${date} ${author}: ${subject}${refs.length > 0 ? ` (${refs.join(', ')})` : ''}`;
}

/** Names the commit that each line comes from. */
export async function blame({
  repository,
  path,
  input,
}: GitQuery): Promise<GitReading | GitProblem | GitMistake> {
  const id = await repository.commit(input.ref ?? 'HEAD');
  if (isProblem(id)) return id;
  const nothing = {
    mistake: 'path_not_in_commit',
    why: `The commit has no file '${shown(input.path)}'.`,
  } as const;
  if (path === '.') return nothing;
  const listed = await repository.run(['ls-tree', '-z', id, '--', path]);
  if (listed.problem) return listed.problem;
  const [, blob] = /^100\d{3} blob ([0-9a-f]+)\t/.exec(listed.out.toString('utf8')) ?? [];
  if (blob === undefined) return nothing;
  const contents = await contentsOf(repository, [blob], MAX_BLAMED_FILE, MAX_BLAMED_FILE);
  if (isProblem(contents)) return contents;
  const content = contents.get(blob);
  if (content === undefined || isBinary(content))
    return { problem: 'git_failed', why: `The file is ${content === undefined ? 'too large' : 'binary'}.` };
  const lines = cleanLines(content.toString('utf8'));
  if (lines.at(-1) === '') (lines as string[]).pop();
  const { start_line: first = 1, end_line: asked = lines.length } = input;
  const last = Math.min(asked, lines.length, first + MAX_BLAMED - 1);
  if (first > Math.max(lines.length, 1))
    return {
      mistake: 'invalid_line_range',
      why: `The file has ${count(lines.length, 'line')}, requested ${first}.`,
    };
  const origins = lines.length === 0 ? new Map() : await originsOf(repository, id, path, first, last);
  if (isProblem(origins)) return origins;
  const truncated = last < Math.min(asked, lines.length);
  const body = lines
    .slice(first - 1, last)
    .map((line, i) => `${origins.get(first + i) ?? '?'} ${first + i}: ${line}\n`)
    .join('');
  return {
    head: `Lines ${first}-${last} of ${shown(input.path)} at ${id.slice(0, 10)}`,
    body: truncated ? `${body}[There are more lines. Ask with \`start_line\`: ${last + 1}.]\n` : body,
    metadata: { lines: lines.length, truncated },
  };
}

/** Gives for each line its commit, date and author. */
async function originsOf(
  repository: Repository,
  id: string,
  path: string,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, string> | GitProblem> {
  const { out, problem } = await repository.run([
    'blame',
    '--porcelain',
    '-L',
    `${first},${last}`,
    id,
    '--',
    path,
  ]);
  if (problem) return problem;
  const commits = new Map<string, { author: string; date: string }>();
  const origins = new Map<number, string>();
  let current = { author: '', date: '' };
  for (const line of out.toString('utf8').split('\n')) {
    const [, commit, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    if (commit !== undefined) {
      current = commits.get(commit) ?? { author: '', date: '' };
      commits.set(commit, current);
      origins.set(Number(number), commit);
    } else if (line.startsWith('author ')) current.author = redact(visibleLine(line.slice(7), 40));
    else if (line.startsWith('author-time ')) current.date = dayOf(Number(line.slice(12)));
  }
  return new Map(
    [...origins].map(([number, commit]) => {
      const { author = '', date = '' } = commits.get(commit) ?? {};
      return [number, `${commit.slice(0, 8)} ${date} ${author}`];
    }),
  );
}

/** Gives the day of a commit. Its writer may have set any number as its time. */
function dayOf(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? 'no-date' : date.toISOString().slice(0, 10);
}
