import type { Failure } from '../../core/failure.ts';
import { type PageOptions, page } from '../../http/respond.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { Page, Problem } from '../parts/layout.tsx';
import { Csrf } from '../parts/parts.tsx';
import { begins } from './passkey-names.ts';

/** The field in which a form brings the owner key as its proof. */
export const KEY_FIELD = 'owner_key_again';

interface Asked {
  readonly visit: OwnerVisit;
  /** The address and the fields to send again, with the proof. */
  readonly action: string;
  readonly form: URLSearchParams;
  readonly hasPasskey: boolean;
  readonly failure?: Failure | undefined;
  readonly step?: PageOptions['step'];
}

/** Asks the owner to prove who they are, and then continues with what they were about to do. */
export function proofPage({ visit, action, form, hasPasskey, failure, step }: Asked): Promise<Response> {
  const again = (
    <>
      <Csrf value={visit.csrf} />
      {[...form].map(([name, value]) =>
        name === 'csrf' || name === KEY_FIELD ? null : <input type="hidden" name={name} value={value} />,
      )}
    </>
  );
  return page(
    <Page title="Is it you?" csrf={visit.csrf} scripts={hasPasskey ? ['passkeys.js'] : []}>
      <section class="card narrow">
        <h1>Is it you?</h1>
        {failure ? <Problem message={failure.message} suggestion={failure.suggestion} /> : null}
        <p>
          This change lasts, or allows more than before. Confirm that it is you. You are not asked again for
          five minutes.
        </p>
        {hasPasskey ? (
          <form method="post" action={action} {...begins('confirm')} hidden>
            {again}
            <p class="row">
              <button class="main" type="submit">
                Use a passkey
              </button>
            </p>
            <p role="alert" class="small" />
          </form>
        ) : null}
        <form method="post" action={action}>
          {again}
          <label for="owner-key">Owner key</label>
          <input
            id="owner-key"
            name={KEY_FIELD}
            type="password"
            required
            maxlength={200}
            autocomplete="current-password"
            spellcheck={false}
          />
          <p class="row">
            <button class={hasPasskey ? '' : 'main'} type="submit">
              Continue
            </button>
          </p>
        </form>
        {hasPasskey ? null : (
          <p class="quiet small">
            With a <a href="/connections#passkeys">passkey</a>, one touch does this.
          </p>
        )}
      </section>
    </Page>,
    { status: failure?.http_status ?? 403, retryAfter: failure?.retry_after, step },
  );
}
