import { Hono } from 'hono';
import { page } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { forOwner } from '../access/owner-page.tsx';
import { Page } from './layout.tsx';
import { sections } from './nav.tsx';
import { KEY_SWITCH } from './page-names.ts';
import { Card, Facts, Heading } from './parts.tsx';

/** Serves the page that lists the keys. `?` opens it. */
export function keysPage(auth: Pick<AuthPorts, 'owner'>): Hono {
  return new Hono().get('/keys', (c) =>
    forOwner(auth)(c, (visit) =>
      page(
        <Page title="Keys" csrf={visit.csrf}>
          <Heading title="Keys">They work on every page, except while you type in a field.</Heading>
          <Card>
            <Facts
              facts={[
                ...sections.map(({ link: [label], key }): [string, ReturnType<typeof Keys>] => [
                  label,
                  <Keys of={['g', key]} />,
                ]),
                ['The first field of a filter', <Keys of={['/']} />],
                ['This page', <Keys of={['?']} />],
              ]}
            />
            <p>
              <button type="button" {...{ [KEY_SWITCH]: true }} hidden>
                Turn keys off
              </button>
            </p>
          </Card>
        </Page>,
      ),
    ),
  );
}

function Keys({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((key, at) => (
        <>
          {at > 0 ? ' then ' : ''}
          <kbd>{key}</kbd>
        </>
      ))}
    </>
  );
}
