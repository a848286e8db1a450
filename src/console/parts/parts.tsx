import type { Child } from 'hono/jsx';
import { AGO, COPY, LEFT, LIVE } from './page-names.ts';

/** Shows the top of a page: its title, one sentence about its purpose, and the possible actions. */
export function Heading({
  title,
  children,
  actions,
}: {
  readonly title: Child;
  readonly children?: Child;
  readonly actions?: Child;
}) {
  return (
    <div class="heading">
      <div>
        <h1>{title}</h1>
        {children ? <p class="lead">{children}</p> : null}
      </div>
      {actions ? <div class="actions">{actions}</div> : null}
    </div>
  );
}

/** Shows an independent part of a page. A `live` one is updated while the page is open. */
export function Card({
  title,
  id,
  live,
  aside,
  children,
}: {
  readonly title?: Child;
  readonly id?: string;
  /** True if it is replaced when the gate learns something. It then needs an id. */
  readonly live?: boolean;
  /** The content beside the title. */
  readonly aside?: Child;
  readonly children: Child;
}) {
  return (
    <section class="card" id={id} {...(live ? { [LIVE]: '' } : {})}>
      {title ? (
        <div class="card-head">
          <h2>{title}</h2>
          {aside ? <div class="aside">{aside}</div> : null}
        </div>
      ) : null}
      {children}
    </section>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm';

/** Shows one word of state. The word carries the meaning, and the colour only helps. */
export function Badge({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Shows that nothing is here yet, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <p class="quiet">{children}</p> : null}
    </div>
  );
}

/** Shows a table that becomes a list of small cards on a phone. Cells carry their heading in `data-label`. */
export function Table({
  caption,
  heads,
  dense = false,
  children,
}: {
  /** The text for those who do not see the table. */
  readonly caption: string;
  /** The headings. An empty one is for the column of buttons. */
  readonly heads: readonly string[];
  /** True if a row takes two lines on a phone: the first and last cell, and the others below. */
  readonly dense?: boolean;
  readonly children: Child;
}) {
  return (
    <table class={dense ? 'stack dense' : 'stack'}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>{heads.map((head) => (head ? <th scope="col">{head}</th> : <td />))}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** Lists facts by name. Leaves out a fact without a value. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null || value === undefined ? null : (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  );
}

/** Links to the pages before and after this one. */
export function Pager({
  newer,
  older,
}: {
  readonly newer?: string | undefined;
  readonly older?: string | undefined;
}) {
  if (!newer && !older) return null;
  return (
    <nav class="pager" aria-label="More">
      {newer ? (
        <a class="button" href={newer}>
          Newest
        </a>
      ) : null}
      {older ? (
        <a class="button" href={older} rel="next">
          Older
        </a>
      ) : null}
    </nav>
  );
}

/** Shows text to copy, with a button for it where scripts run. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copyable">
      <code class="secret">{text}</code>
      <button type="button" {...{ [COPY]: text }} aria-label={`Copy ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}

/**
 * Shows a time in UTC, because the server does not know where its owner is. A script converts it to local
 * time.
 */
export function When({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{inUtc(iso)}</time>;
}

/** Shows a time as `When` does. Where scripts run, it says how long ago or how far ahead that is. */
export function Ago({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} {...{ [AGO]: true }}>
      {inUtc(iso)}
    </time>
  );
}

/** Shows how much time is left. It counts down where scripts run. */
export function Left({ until }: { readonly until: number }) {
  const iso = new Date(until).toISOString();
  return (
    <time datetime={iso} {...{ [LEFT]: true }}>
      until {inUtc(iso)}
    </time>
  );
}

function inUtc(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Writes a number of things for people, such as “1 tool”. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Adds the hidden field that every form of ours needs to be accepted. */
export function Csrf({ value }: { readonly value: string }) {
  return <input type="hidden" name="csrf" value={value} />;
}
