import { visible } from '../../core/visible.ts';
import type { AlwaysOffer } from '../../gate/always.ts';
import { Card, Csrf } from '../parts/parts.tsx';

interface Props {
  readonly code: string;
  readonly csrf: string;
  readonly offers: readonly AlwaysOffer[];
}

type Offered = Extract<AlwaysOffer, { words: string }>;

/** Offers a standing yes: how far it reaches, what it would have allowed so far, and for how long. */
export function AlwaysCard({ code, csrf, offers }: Props) {
  const offered = offers.filter((offer) => 'words' in offer);
  const refused = offers.flatMap((offer) => ('problem' in offer ? [offer.problem] : []));
  return (
    <Card id="always" title="Always…" aside="approves this call as well">
      {offered.length === 0 ? (
        <p>“Always” isn’t available for this call.</p>
      ) : (
        <form method="post" action={`/approvals/${code}`}>
          <Csrf value={csrf} />
          <input type="hidden" name="decision" value="always" />
          <fieldset class="widths">
            <legend class="unseen">What may run without asking</legend>
            {offered.map((offer, at) => (
              <label>
                <input type="radio" name="width" value={offer.width} checked={at === 0} />
                <span>
                  <strong>
                    <Words text={offer.words} />
                  </strong>
                  <BackTest offer={offer} />
                </span>
              </label>
            ))}
          </fieldset>
          <p class="row loose">
            <button type="submit" name="lasts" value="hour">
              For an hour
            </button>
            <button type="submit" name="lasts" value="day">
              For a day
            </button>
            <button type="submit" name="lasts" value="month">
              For 30 days
            </button>
          </p>
        </form>
      )}
      {[...new Set(refused)].map((problem) => (
        <p class="quiet small">
          <Words text={visible(problem, 300)} />
        </p>
      ))}
    </Card>
  );
}

/** Shows text between backticks as code. */
function Words({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}

function BackTest({ offer: { checked, passed, denied, lastDenied } }: { readonly offer: Offered }) {
  if (checked === 0) return <span class="quiet small">No earlier calls to test it on.</span>;
  return (
    <span class="quiet small">
      {checked === 1
        ? `It would ${passed === 1 ? '' : 'not '}have allowed the only call so far`
        : `It would have allowed ${passed} of the last ${checked} calls`}
      {denied === 0 ? (
        checked === 1 ? (
          '.'
        ) : (
          ', none of which was denied.'
        )
      ) : (
        <>
          .{' '}
          <strong class="warned">
            {denied === 1 ? '1 of them was denied' : `${denied} of them were denied`}
          </strong>
          : <a href={`/ledger/${lastDenied}`}>{denied === 1 ? 'that call' : 'the last'}</a>.
        </>
      )}
    </span>
  );
}
