import { Hono } from 'hono';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import { utf8Text } from '../../core/git-blob.ts';
import { MEMORY_FOLDER } from '../../core/path-policy.ts';
import { visible } from '../../core/visible.ts';
import { page, seeOther } from '../../http/respond.ts';
import { memoryPath } from '../../mirror/console-links.ts';
import { lineWindow } from '../../mirror/line-window.ts';
import type { Mirror } from '../../mirror/mirror-port.ts';
import { readMirrored } from '../../mirror/read-file.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { forOwner, notThere } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import { Ago, Card, Facts, Heading } from '../parts/parts.tsx';
import { Crumbs, Folder, Lines, Mirrored, sizeOf } from './mirror-views.tsx';

const CHILDREN_A_PAGE = 200;
const TITLE_CHARS = 200;
/** The number of lines to show before the requested one, so that it does not stand alone. */
const BEFORE_ASKED = 10;

interface Ports {
  readonly auth: AuthPorts;
  readonly mirror: Mirror;
}

/** Serves the mirrored repo to its owner. It hides what models may not read here too. */
export function mirrorPages({ auth, mirror }: Ports): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);

  app.get('/repo', (c) =>
    asOwner(c, async (visit) => {
      const [status, folder] = await Promise.all([
        mirror.stub().status(),
        mirror.stub().children('', c.req.query('after') ?? '', CHILDREN_A_PAGE),
      ]);
      return page(
        <Page title="Repo" csrf={visit.csrf}>
          <Heading title="Repo">One commit of your repo, as models read it.</Heading>
          <Mirrored status={status} />
          {folder ? <Folder path="" page={folder} /> : null}
        </Page>,
      );
    }),
  );
  app.get('/repo/*', (c) =>
    asOwner(c, async (visit) => {
      const path = pathIn(new URL(c.req.url).pathname);
      if (path === undefined) return noSuchPath(visit);
      if (path === '') return seeOther('/repo');
      // The memory's files have pages of their own. A file of the repo with one of their names is not mirrored.
      const inMemory = MEMORY_FILES.find((file) => path === MEMORY_FOLDER + file);
      if (inMemory) return seeOther(memoryPath(inMemory));
      const found = await mirror.stub().locate(path);
      if (found?.file) return showFile(visit, path, c.req.query());
      const folder = await mirror.stub().children(path, c.req.query('after') ?? '', CHILDREN_A_PAGE);
      if (!folder || folder.children.length === 0) return noSuchPath(visit);
      return page(
        <Page title={titleOf(path)} within="Repo" csrf={visit.csrf}>
          <Crumbs path={path} />
          <Heading title={titleOf(path)} />
          <Folder path={path} page={folder} />
        </Page>,
      );
    }),
  );
  return app;

  async function showFile(visit: OwnerVisit, path: string, query: Record<string, string>) {
    const read = await readMirrored(mirror, path);
    if (read.kind === 'refused') {
      return page(
        <Page title={titleOf(path)} within="Repo" csrf={visit.csrf}>
          <Crumbs path={path} />
          <Heading title={titleOf(path)} />
          <Card>
            <p>{visible(read.detail.message ?? 'It cannot be shown.')}</p>
            {read.detail.suggestion ? <p class="quiet">{read.detail.suggestion}</p> : null}
          </Card>
        </Page>,
      );
    }
    const text = utf8Text(read.bytes);
    const line = Number(query.line ?? Number.NaN);
    const from = Number.isSafeInteger(line) ? line - BEFORE_ASKED : Number(query.from ?? 1) || 1;
    return page(
      <Page title={titleOf(path)} within="Repo" csrf={visit.csrf}>
        <Crumbs path={path} />
        <Heading title={titleOf(path)} />
        <Facts
          facts={[
            ['Commit', <span class="mono">{read.commit}</span>],
            ['Last commit', <Ago at={read.modified} />],
            ['Size', sizeOf(read.bytes.byteLength)],
          ]}
        />
        {text === undefined ? (
          <Card>
            <p>This is not UTF-8 text, so it is not shown. Models read it as base64.</p>
          </Card>
        ) : (
          <Lines path={path} lines={lineWindow(text, Math.trunc(from))} />
        )}
      </Page>,
    );
  }
}

function titleOf(path: string): string {
  return visible(path.slice(path.lastIndexOf('/') + 1), TITLE_CHARS);
}

/**
 * Reads the path in an address, and decodes each part by itself. Gives nothing if the path is not one of
 * ours.
 */
function pathIn(pathname: string): string | undefined {
  try {
    const parts = pathname.slice('/repo/'.length).replace(/\/$/, '').split('/').map(decodeURIComponent);
    return parts.some((part) => part.includes('/')) ? undefined : parts.join('/');
  } catch {
    // If the percent signs do not decode to UTF-8, the path cannot exist.
    return undefined;
  }
}

function noSuchPath(visit: OwnerVisit) {
  return notThere(visit, {
    title: 'Not in the mirror',
    within: 'Repo',
    children: (
      <>
        The mirrored commit has nothing at this path, or the path is not open to models.{' '}
        <a href="/repo">See what it has</a>.
      </>
    ),
  });
}
