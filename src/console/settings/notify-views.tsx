import { visible } from '../../core/visible.ts';
import { TextField } from '../parts/fields.tsx';
import { Problem } from '../parts/layout.tsx';
import { Badge, Card, Csrf, Heading, Table } from '../parts/parts.tsx';
import { PUSH_FIELD, PUSH_ID, PUSH_KEY } from './push-names.ts';

export interface TypedWebhook {
  readonly url: string;
  readonly token: string;
}

export type NotifyProblems = { url?: string; token?: string };

interface Props {
  readonly browsers: readonly { readonly id: string; readonly host: string }[];
  readonly webhooks: readonly { readonly id: string; readonly host: string; readonly protected: boolean }[];
  /** The public key that browsers subscribe with. */
  readonly publicKey: string;
  readonly csrf: string;
  readonly problem?: string | undefined;
  readonly done?: string | undefined;
  readonly typed?: TypedWebhook | undefined;
  readonly problems?: NotifyProblems | undefined;
}

/** Lists the browsers and addresses that learn of waiting calls, with ways to add and remove them. */
export function NotifyView({
  browsers,
  webhooks,
  publicKey,
  csrf,
  problem,
  done,
  typed,
  problems = {},
}: Props) {
  return (
    <>
      {done ? (
        <p class="done" role="status">
          {done}
        </p>
      ) : null}
      {problem ? <Problem message={problem} /> : null}
      <Heading
        title="Notifications"
        actions={
          <form method="post" action="/notifications/test">
            <Csrf value={csrf} />
            <button type="submit">Send a test</button>
          </form>
        }
      >
        Get a message when a call waits for you. It names the tool and the caller; the page that it opens
        shows the rest.
      </Heading>
      <Card title="This browser" id={PUSH_ID.part}>
        <p id={PUSH_ID.never} class="quiet">
          This browser cannot get notifications: it must run scripts and support push messages. On an iPhone,
          add Bowline to the home screen first.
        </p>
        <form
          id={PUSH_ID.on}
          method="post"
          action="/notifications/push"
          {...{ [PUSH_KEY]: publicKey }}
          hidden
        >
          <Csrf value={csrf} />
          <input type="hidden" name={PUSH_FIELD.endpoint} value="" />
          <input type="hidden" name={PUSH_FIELD.p256dh} value="" />
          <input type="hidden" name={PUSH_FIELD.auth} value="" />
          <p>Messages arrive even when no page of Bowline is open.</p>
          <button class="main" type="submit">
            Turn on notifications
          </button>
        </form>
        <form id={PUSH_ID.off} method="post" action="/notifications/push/remove" hidden>
          <Csrf value={csrf} />
          <input type="hidden" name={PUSH_FIELD.endpoint} value="" />
          <p>This browser gets notifications.</p>
          <button type="submit">Turn off notifications</button>
        </form>
        <p role="alert" class="field-problem" />
      </Card>
      {browsers.length === 0 ? null : (
        <Card title="Browsers that are notified">
          <Table caption="Browsers that are notified" heads={['Push service', '']}>
            {browsers.map(({ id, host }) => (
              <Removable id={id} host={host} csrf={csrf} action="push/remove" />
            ))}
          </Table>
        </Card>
      )}
      <Card title="Topics and webhooks" aside="ntfy, or any address that accepts text by POST">
        {webhooks.length === 0 ? (
          <p class="quiet">No topic or webhook yet.</p>
        ) : (
          <Table caption="Topics and webhooks" heads={['Address', '']}>
            {webhooks.map((webhook) => (
              <Removable {...webhook} csrf={csrf} action="webhooks/remove" />
            ))}
          </Table>
        )}
        <h3>Add one</h3>
        <form method="post" action="/notifications/webhooks">
          <Csrf value={csrf} />
          <div class="columns">
            <TextField
              name="url"
              label="Address"
              type="url"
              value={typed?.url ?? ''}
              problem={problems.url}
              placeholder="https://ntfy.sh/a-topic-nobody-guesses"
              required
            />
            <TextField
              name="token"
              label="Token (optional)"
              type="password"
              value={typed?.token ?? ''}
              problem={problems.token}
            />
          </div>
          <button type="submit">Add</button>
        </form>
      </Card>
    </>
  );
}

interface RemovableProps {
  readonly id: string;
  readonly host: string;
  readonly protected?: boolean;
  readonly csrf: string;
  readonly action: string;
}

function Removable({ id, host, protected: isProtected, csrf, action }: RemovableProps) {
  return (
    <tr>
      <td>
        {visible(host, 120)} {isProtected ? <Badge>with a token</Badge> : null}
      </td>
      <td>
        <form method="post" action={`/notifications/${action}`}>
          <Csrf value={csrf} />
          <input type="hidden" name="id" value={id} />
          <button class="plain" type="submit" aria-label={`Remove ${visible(host, 120)}`}>
            Remove
          </button>
        </form>
      </td>
    </tr>
  );
}
