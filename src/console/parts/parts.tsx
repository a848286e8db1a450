import type { Child } from 'hono/jsx';

/** The top of a page: what it is, one sentence of why, and what can be done here. */
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

/** A part of a page that stands by itself. With an id, it is kept fresh from `live` pages. */
export function Card({
  title,
  id,
  live,
  aside,
  children,
}: {
  readonly title?: Child;
  readonly id?: string;
  /** Replaced as the gate hears of something: needs an id. */
  readonly live?: boolean;
  /** What stands across from the title. */
  readonly aside?: Child;
  readonly children: Child;
}) {
  return (
    <section class="card" id={id} data-live={live ? '' : undefined}>
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

/** One word of state. The word says it; the colour only helps. */
export function Badge({ tone = 'calm', children }: { readonly tone?: Tone; readonly children: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** What stands where there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <p class="quiet">{children}</p> : null}
    </div>
  );
}

/** A table that becomes a list of small cards on a phone; cells carry their heading in `data-label`. */
export function Table({
  caption,
  heads,
  dense = false,
  children,
}: {
  /** Read to those who do not see the table. */
  readonly caption: string;
  /** An empty heading is for the column of buttons. */
  readonly heads: readonly string[];
  /** On a phone, two lines a row: the first and last cell, and the others below. */
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

/** Facts by name. A fact without a value is left out. */
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

/** The way to the pages before and after this one. */
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

/** Text to be taken elsewhere, with a button that copies it where scripts run. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copyable">
      <code class="secret">{text}</code>
      <button type="button" data-copy={text} aria-label={`Copy ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}

/** In UTC: the server does not know where its owner is. A script puts it into the reader's own time. */
export function When({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{inUtc(iso)}</time>;
}

/** The same, told by how long ago it is or will be where scripts run. */
export function Ago({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} data-ago>
      {inUtc(iso)}
    </time>
  );
}

/** How much time is left, counted down where scripts run. */
export function Left({ until }: { readonly until: number }) {
  const iso = new Date(until).toISOString();
  return (
    <time datetime={iso} data-left>
      until {inUtc(iso)}
    </time>
  );
}

function inUtc(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** The hidden field without which no form of ours is heard. */
export function Csrf({ value }: { readonly value: string }) {
  return <input type="hidden" name="csrf" value={value} />;
}
