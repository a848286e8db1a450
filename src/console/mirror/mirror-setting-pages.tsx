import { Hono } from 'hono';
import { mirrorSettings } from '../../core/mirror-push.ts';
import { objectionToPattern } from '../../core/path-policy.ts';
import { visible } from '../../core/visible.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { Mirror } from '../../mirror/mirror-port.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { formForOwner, forOwner, STALE } from '../access/owner-page.tsx';
import { TextArea } from '../parts/fields.tsx';
import { Page, Problem } from '../parts/layout.tsx';
import { Card, Csrf, Heading } from '../parts/parts.tsx';

interface Ports {
  readonly auth: AuthPorts;
  readonly mirror: Mirror;
}

interface Shown {
  readonly typed?: URLSearchParams;
  readonly problems?: { readonly open?: string; readonly allowed?: string };
  readonly problem?: string;
  readonly saved?: boolean;
  readonly status?: number;
}

const PATH = '/repo-settings';

/**
 * Serves the settings of the mirror: what of the repo is open to models, and what only looks like a secret.
 */
export function mirrorSettingPages({ auth, mirror }: Ports): Hono {
  const app = new Hono();
  const asOwner = forOwner(auth);
  const onForm = formForOwner(auth);

  const show = async (visit: OwnerVisit, shown: Shown = {}) => {
    const { typed, problems = {}, problem, saved, status = 200 } = shown;
    const kept = await mirror.stub().settings();
    return page(
      <Page title="What is open" within="Repo" csrf={visit.csrf}>
        {saved ? (
          <p class="done" role="status">
            Saved. The next push brings the newly opened files.
          </p>
        ) : null}
        {problem ? <Problem message={problem} /> : null}
        <Heading title="What is open">
          What models may read of your repo, whoever pushes it. Secrets and keys (.env*, secrets/, *.key,
          *.pem) are never open.
        </Heading>
        <form method="post" action={PATH}>
          <Csrf value={visit.csrf} />
          <Card>
            <TextArea
              name="open"
              label="Open"
              rows={10}
              hint="One per line: a path, a folder followed by /**, or ** for the whole repo."
              value={typed?.get('open') ?? kept.open.join('\n')}
              problem={problems.open}
            />
            <TextArea
              name="allowed"
              label="Places that look like secrets but are not"
              hint="One per line, as path:rule. A push that was stopped names both. Models will read these places as they are."
              value={typed?.get('allowed') ?? kept.allowedSecrets.join('\n')}
              problem={problems.allowed}
            />
          </Card>
          <p>
            <button class="main" type="submit">
              Save
            </button>
          </p>
        </form>
      </Page>,
      { status },
    );
  };

  app.get(PATH, (c) => asOwner(c, (visit) => show(visit, { saved: c.req.query('saved') !== undefined })));

  app.post(PATH, (c) =>
    onForm(
      c,
      PATH,
      (visit) => show(visit, { problem: STALE, status: 403 }),
      async ({ visit, form }) => {
        const asked = { open: linesOf(form.get('open')), allowedSecrets: linesOf(form.get('allowed')) };
        const settings = mirrorSettings.safeParse(asked);
        if (!settings.success) {
          const problem = 'Nothing was saved. Correct the fields below.';
          return show(visit, { typed: form, problems: problemsWith(asked), problem, status: 400 });
        }
        await mirror.stub().changeSettings(settings.data);
        return seeOther(`${PATH}?saved`);
      },
    ),
  );
  return app;
}

function linesOf(text: string | null): string[] {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

function problemsWith({ open, allowedSecrets }: { open: string[]; allowedSecrets: string[] }) {
  const wrong = open.find((pattern) => objectionToPattern(pattern) !== undefined);
  const why = wrong === undefined ? undefined : objectionToPattern(wrong);
  const isFine = mirrorSettings.shape.open.safeParse(open).success;
  const areFine = mirrorSettings.shape.allowedSecrets.safeParse(allowedSecrets).success;
  return {
    ...(isFine
      ? {}
      : {
          open:
            wrong === undefined
              ? 'Give 1 to 200 lines of at most 256 characters.'
              : `${visible(wrong, 80)}: ${why}.`,
        }),
    ...(areFine ? {} : { allowed: 'Write each as path:rule, 500 at most.' }),
  };
}
