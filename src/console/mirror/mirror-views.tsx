import type { MirrorStatus } from '../../core/mirror-push.ts';
import { visible } from '../../core/visible.ts';
import type { Child, FolderPage } from '../../mirror/children.ts';
import { repoPath } from '../../mirror/console-links.ts';
import type { LineWindow } from '../../mirror/line-window.ts';
import { noteOn } from '../../mirror/read-file.ts';
import { Ago, Badge, Card, Copyable, Empty, Facts, Table } from '../parts/parts.tsx';

const NAME_CHARS = 200;

/** Shows which commit is mirrored, and how it came here. */
export function Mirrored({ status }: { readonly status: MirrorStatus }) {
  const { commit, committedAt, branch, pushedAt, pushedBy, files, bytes, open, problem } = status;
  if (commit === null) {
    return (
      <Card>
        <Empty title="Nothing is mirrored yet">
          In a clone of your repo, run the command below. Models then read its last commit, and nothing that
          was never committed.
        </Empty>
        <Copyable text="bowline mirror push" label="the command that mirrors" />
      </Card>
    );
  }
  return (
    <Card
      title="Mirrored commit"
      aside={problem === null ? <Badge tone="good">up to date</Badge> : <Badge tone="warn">behind</Badge>}
    >
      {problem === null ? null : <p class="notice">The last fetch failed: {visible(problem, 300)}</p>}
      <Facts
        facts={[
          ['Commit', <span class="mono">{commit}</span>],
          ['Branch', branch === null ? null : visible(branch, 100)],
          ['Committed', committedAt === null ? null : <Ago at={committedAt} />],
          [
            'Mirrored',
            pushedAt === null ? null : (
              <>
                <Ago at={pushedAt} />
                {pushedBy === null ? null : <> by {visible(pushedBy, 80)}</>}
              </>
            ),
          ],
          ['Files', `${files.toLocaleString('en')}, ${sizeOf(bytes)}`],
          ['Open', open.map((pattern) => <code class="chip">{visible(pattern, 100)}</code>)],
        ]}
      />
      <p>
        <a href="/repo-settings">Change open paths</a>
      </p>
      <details>
        <summary>Update the mirror</summary>
        <p>In the clone: once, or for every commit until Ctrl-C.</p>
        <Copyable text="bowline mirror push" label="the command that mirrors once" />
        <Copyable text="bowline mirror watch" label="the command that keeps mirroring" />
      </details>
    </Card>
  );
}

/** Lists a folder, subfolders first. */
export function Folder({ path, page }: { readonly path: string; readonly page: FolderPage }) {
  const folders = page.children.filter(({ kind }) => kind === 'folder');
  const files = page.children.filter(({ kind }) => kind === 'file');
  return (
    <Card title={path === '' ? 'Files' : undefined}>
      <Table caption="The files in this folder" heads={['Name', 'Size', 'Last commit']}>
        {[...folders, ...files].map((child) => (
          <ChildRow child={child} />
        ))}
      </Table>
      {page.next === null ? null : (
        <nav class="pager" aria-label="More">
          <a class="button" rel="next" href={`${repoPath(path)}?after=${encodeURIComponent(page.next)}`}>
            More
          </a>
        </nav>
      )}
    </Card>
  );
}

function ChildRow({ child }: { readonly child: Child }) {
  const name = child.path.slice(child.path.lastIndexOf('/') + 1);
  const isFolder = child.kind === 'folder';
  const note = isFolder ? undefined : noteOn({ ...child, collides: false });
  return (
    <tr>
      <td>
        <a href={repoPath(child.path)}>{visible(isFolder ? `${name}/` : name, NAME_CHARS)}</a>
        {note === undefined ? null : <div class="quiet small">{note}</div>}
      </td>
      <td data-label="Size">{isFolder ? '' : sizeOf(child.size)}</td>
      <td data-label="Last commit">{isFolder ? '' : <Ago at={child.modified} />}</td>
    </tr>
  );
}

/** Shows the way from the root to a path. Its last part is the page itself. */
export function Crumbs({ path }: { readonly path: string }) {
  const parts = path.split('/');
  return (
    <nav class="crumbs" aria-label="Where this is">
      <a href="/repo">Repo</a>
      {parts.slice(0, -1).map((part, at) => (
        <>
          {' / '}
          <a href={repoPath(parts.slice(0, at + 1).join('/'))}>{visible(part, NAME_CHARS)}</a>
        </>
      ))}
    </nav>
  );
}

/** Shows lines of a file, each with its own address. */
export function Lines({
  path,
  lines: { lines, first, total, next, previous },
}: {
  readonly path: string;
  readonly lines: LineWindow;
}) {
  if (total === 0) return <Empty title="The file is empty." />;
  const last = first + lines.length - 1;
  return (
    <Card title={first === 1 && next === null ? `${total} lines` : `Lines ${first} to ${last} of ${total}`}>
      <ol class="code" start={first}>
        {lines.map((line, at) => (
          <li id={`L${first + at}`}>
            <a href={`#L${first + at}`} aria-label={`Line ${first + at}`}>
              {first + at}
            </a>
            <code>{visible(line)}</code>
          </li>
        ))}
      </ol>
      {next === null && previous === null ? null : (
        <nav class="pager" aria-label="More of the file">
          {previous === null ? null : (
            <a class="button" rel="prev" href={`${repoPath(path)}?from=${previous}`}>
              Earlier lines
            </a>
          )}
          {next === null ? null : (
            <a class="button" rel="next" href={`${repoPath(path)}?from=${next}`}>
              Later lines
            </a>
          )}
        </nav>
      )}
    </Card>
  );
}

/** Writes a size in the unit that a person would use. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / 1024 / 1024, 'MB'];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount).toLocaleString('en')} ${unit}`;
}
