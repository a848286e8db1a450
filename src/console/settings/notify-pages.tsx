import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { pushKeys, tellOwner } from '../../gate/announce.ts';
import type { GateStub } from '../../gate/gate-stub.ts';
import { settingShapes } from '../../gate/settings.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { formForOwner, forOwner, STALE } from '../access/owner-page.tsx';
import { Page } from '../parts/layout.tsx';
import type { NotifyProblems, TypedWebhook } from './notify-views.tsx';
import { PUSH_FIELD } from './push-names.ts';

interface NotifyPagePorts {
  readonly auth: AuthPorts;
  gate(): GateStub;
}

interface Shown {
  readonly problem?: string;
  readonly done?: string;
  readonly typed?: TypedWebhook;
  readonly problems?: NotifyProblems;
  readonly status?: number;
}

/** Serves the settings for news of waiting calls: browsers, and addresses that take a POST. */
export function notifyPages({ auth, gate }: NotifyPagePorts): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);
  const onForm = formForOwner(auth);

  const show = async (visit: OwnerVisit, { status = 200, ...shown }: Shown = {}) => {
    const stub = gate();
    // Few isolates ever show this page, and every start of the Worker would read it.
    const { NotifyView } = await import('./notify-views.tsx');
    const [channels, { publicKey }] = await Promise.all([stub.channels(), pushKeys(stub)]);
    return page(
      <Page title="Notifications" csrf={visit.csrf} scripts={['push.js']}>
        <NotifyView
          browsers={channels.push.map(({ endpoint }) => ({
            id: idOf(endpoint),
            host: new URL(endpoint).host,
          }))}
          webhooks={channels.webhooks.map(({ url, token }) => ({
            id: idOf(url),
            host: new URL(url).host,
            protected: token !== undefined,
          }))}
          publicKey={publicKey}
          csrf={visit.csrf}
          {...shown}
        />
      </Page>,
      { status },
    );
  };

  app.get('/notifications', (c) => asOwner(c, (visit) => show(visit)));

  const post = (
    path: string,
    act: (form: URLSearchParams, visit: OwnerVisit) => Promise<Response | undefined>,
  ) =>
    app.post(`/notifications/${path}`, (c) =>
      onForm(
        c,
        '/notifications',
        (visit) => show(visit, { problem: STALE, status: 403 }),
        async ({ form, visit }) => (await act(form, visit)) ?? seeOther('/notifications'),
      ),
    );

  post('push', async (form, visit) => {
    const text = (name: string) => form.get(name) ?? '';
    const keys = { p256dh: text(PUSH_FIELD.p256dh), auth: text(PUSH_FIELD.auth) };
    const made = { endpoint: text(PUSH_FIELD.endpoint), keys };
    const { push } = await gate().channels();
    const others = push.filter(({ endpoint }) => endpoint !== made.endpoint);
    const read = settingShapes.push.safeParse([...others, made]);
    if (!read.success) return show(visit, { problem: 'That browser could not be added.', status: 400 });
    await gate().changeSetting('push', read.data);
    return undefined;
  });

  post('push/remove', async (form) => {
    const { push } = await gate().channels();
    const [id, gone] = [form.get('id'), form.get(PUSH_FIELD.endpoint)];
    await gate().changeSetting(
      'push',
      push.filter(({ endpoint }) => endpoint !== gone && idOf(endpoint) !== id),
    );
    return undefined;
  });

  post('webhooks', async (form, visit) => {
    const typed = { url: (form.get('url') ?? '').trim(), token: (form.get('token') ?? '').trim() };
    const { webhooks } = await gate().channels();
    const others = webhooks.filter(({ url }) => url !== typed.url);
    const made = { url: typed.url, ...(typed.token === '' ? {} : { token: typed.token }) };
    const read = settingShapes.webhooks.safeParse([...others, made]);
    if (!read.success) return show(visit, { typed, problems: problemsOf(read.error.issues), status: 400 });
    await gate().changeSetting('webhooks', read.data);
    return undefined;
  });

  post('webhooks/remove', async (form) => {
    const { webhooks } = await gate().channels();
    const id = form.get('id');
    await gate().changeSetting(
      'webhooks',
      webhooks.filter(({ url }) => idOf(url) !== id),
    );
    return undefined;
  });

  post('test', async (_, visit) => {
    const notice = {
      title: 'Bowline can reach you',
      body: 'This is a test. Nothing waits for you because of it.',
      url: `${auth.origin}/notifications`,
      tag: 'test',
    };
    const { delivered, gone, failures } = await tellOwner(gate(), notice, auth.origin);
    const problem = [
      ...failures,
      ...gone.map(() => 'A browser no longer takes messages. It was removed from the list.'),
    ];
    return show(visit, {
      ...(delivered > 0 ? { done: `Sent to ${delivered} ${delivered === 1 ? 'place' : 'places'}.` } : {}),
      ...(problem.length > 0 ? { problem: problem.join(' ') } : {}),
      ...(delivered + problem.length === 0
        ? { problem: 'Nobody can be notified yet. Add a browser or an address.' }
        : {}),
    });
  });
  return app;
}

/** Names an address without revealing it, because whoever knows a topic or an endpoint can send to it. */
function idOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url').slice(0, 16);
}

function problemsOf(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): NotifyProblems {
  const problems: NotifyProblems = {};
  for (const { path, message } of issues) {
    if (path[1] === 'token') problems.token = `${message}.`;
    else if (path[1] === 'url')
      problems.url = 'Give an address that begins with https:// or http://, 500 characters at most.';
    else problems.url = 'There are ten already. Remove one first.';
  }
  return problems;
}
