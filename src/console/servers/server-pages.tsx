import { Hono } from 'hono';
import {
  addBody,
  asksLess,
  gradeBody,
  proposalsBody,
  type ServerRoutePorts,
} from '../../api/server-routes.ts';
import { page, seeOther } from '../../http/respond.ts';
import { checkServer } from '../../joined/check-server.ts';
import { beginSignIn } from '../../joined/sign-in.ts';
import { tellListChanged } from '../../joined/tell-list-changed.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { hasFreshProof } from '../../owner/proof.ts';
import { formForOwner, forOwner, type OwnerForm, STALE } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';

interface Notice {
  readonly problem?: string;
  readonly signIn?: { readonly name: string; readonly url: string };
}

/** Serves joined servers in the owner's browser: the same actions as the owner's API, as forms. */
export function serverPages({ auth, host, joined }: ServerRoutePorts): Hono {
  const app = new Hono();
  const { gate, events } = host;
  const asOwner = forOwner(auth);
  const ownForm = formForOwner(auth);

  const show = async (visit: OwnerVisit, notice: Notice = {}, status = 200) => {
    // Few isolates ever show this page, and every start of the Worker would read it.
    const { ServersView } = await import('./server-views.tsx');
    const servers = await gate().servers();
    return page(
      <Page title="Servers" csrf={visit.csrf}>
        <ServersView servers={servers} csrf={visit.csrf} {...notice} />
      </Page>,
      { status },
    );
  };
  const listChanged = () => tellListChanged(joined, events);

  app.get('/servers', (c) => asOwner(c, (visit) => show(visit)));

  /** Takes a form of the page. Shows its result there, if there is something to say. */
  const onForm = (
    act: string,
    run: (form: URLSearchParams, sent: OwnerForm) => Promise<Notice | Response | undefined>,
  ) =>
    app.post(`/servers/${act}`, (c) =>
      ownForm(
        c,
        '/servers',
        (visit) => show(visit, { problem: STALE }, 403),
        async (sent) => {
          const { visit } = sent;
          const notice = await run(sent.form, sent);
          if (notice instanceof Response) return notice;
          return notice ? show(visit, notice, notice.problem ? 400 : 200) : seeOther('/servers');
        },
      ),
    );
  /** Finds the server that a form names, if the gateway reaches it by itself. */
  const reached = async (form: URLSearchParams) => {
    const server = await gate().server(form.get('name') ?? '');
    return server?.url ? { ...server, url: server.url } : undefined;
  };

  onForm('add', async (form) => {
    const token = form.get('token') || undefined;
    const asked = addBody.safeParse({
      name: form.get('name'),
      url: form.get('url'),
      ...(token ? { token } : {}),
    });
    if (!asked.success) return { problem: asked.error.issues.map(({ message }) => message).join(' ') };
    const { name, url } = asked.data;
    const added = await gate().addServer({ name, url, allow: null });
    if (added === 'taken')
      return { problem: 'A server of that name is joined already. Choose another name.' };
    if (added !== 'added') return { problem: 'No more servers can be joined. Remove one first.' };
    if (token) await gate().keepServerSecret(name, JSON.stringify({ kind: 'token', token }));
    await checkServer({ name, url, allow: null }, host);
    listChanged();
    return undefined;
  });

  onForm('check', async (form) => {
    const server = await reached(form);
    if (!server) return GONE;
    await checkServer(server, host);
    joined.forget();
    return undefined;
  });

  onForm('sign-in', async (form) => {
    const server = await reached(form);
    if (!server) return GONE;
    const begun = await beginSignIn(server, host);
    // A link and no redirect: forms of these pages may lead nowhere else, so that nobody can misuse one for
    // that.
    if ('problem' in begun) return { problem: `Sign-in failed: ${begun.problem}` };
    // The server chooses this address, so allow only one of the web.
    return /^https?:/.test(begun.url)
      ? { signIn: { name: server.name, url: begun.url } }
      : { problem: 'Its sign-in page is not a web address.' };
  });

  onForm('remove', async (form) => {
    if (!(await gate().removeServer(form.get('name') ?? ''))) return GONE;
    listChanged();
    return undefined;
  });

  onForm('accept', async (form) => {
    // Each is what the owner saw: a hash, then the tool's own name.
    const seen = form.getAll('seen').map((one) => ({ hash: one.slice(0, HASH), name: one.slice(HASH + 1) }));
    const asked = proposalsBody.safeParse({ tools: seen });
    if (!asked.success) return GONE;
    const graded = await gate().acceptProposals({ server: form.get('name') ?? '', ...asked.data });
    if (graded === 'changed') {
      return { problem: 'A tool has changed since you looked at them. Nothing was graded: look again.' };
    }
    if (graded !== 'graded') return GONE;
    listChanged();
    return undefined;
  });

  onForm('grade', async (form, { visit, askForProof }) => {
    const asked = gradeBody.safeParse({
      tool: form.get('tool'),
      hash: form.get('hash'),
      grade: form.get('grade') || null,
    });
    if (!asked.success) return GONE;
    if (asksLess(asked.data.grade) && !hasFreshProof(visit)) return askForProof();
    const graded = await gate().gradeTool({ server: form.get('name') ?? '', ...asked.data });
    if (graded === 'changed') {
      return {
        problem: 'The tool has changed since you looked at it. Look at it again, then grade it.',
      };
    }
    if (graded !== 'graded') return GONE;
    listChanged();
    return undefined;
  });
  return app;
}

/** The length of a tool's hash. */
const HASH = 64;

const GONE: Notice = { problem: 'There is no such server or tool any more. Nothing was changed.' };
