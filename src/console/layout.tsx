import type { Child } from 'hono/jsx';

export interface PageProps {
  readonly title: string;
  readonly children: Child;
  /** Set for a signed-in owner: shows the navigation, with a way to sign out. */
  readonly csrf?: string;
  /** Scripts of ours that the page needs, by name under `/assets/`. */
  readonly scripts?: readonly string[];
}

/** The frame of every page. */
export function Page({ title, children, csrf, scripts = [] }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title} · Bowline</title>
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css" />
        {scripts.map((name) => (
          <script src={`/assets/${name}`} defer />
        ))}
      </head>
      <body>
        <header>
          <a class="mark" href="/">
            <Mark /> Bowline
          </a>
          {csrf ? <Navigation csrf={csrf} /> : null}
        </header>
        <main>{children}</main>
        <footer>One address for everything you own.</footer>
      </body>
    </html>
  );
}

function Navigation({ csrf }: { csrf: string }) {
  return (
    <nav aria-label="Main">
      <a href="/">Home</a>
      <a href="/connections">Connections</a>
      <form method="post" action="/signout">
        <input type="hidden" name="csrf" value={csrf} />
        <button class="plain" type="submit">
          Sign out
        </button>
      </form>
    </nav>
  );
}

/** A bowline knot, more or less. */
function Mark() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d={MARK_PATH} />
    </svg>
  );
}

export const MARK_PATH = 'M9 2v7c0 3 6 3 6 6a4.5 4.5 0 1 1-9 0c0-4 9-3 9-8 0-3-5-3-5 0 0 2 3 3 6 3h5';

/** Something that went wrong, in words. */
export function Problem({ message, suggestion }: { message: string; suggestion?: string | undefined }) {
  return (
    <div class="problem" role="alert">
      <strong>{message}</strong>
      {suggestion ? <div class="quiet">{suggestion}</div> : null}
    </div>
  );
}
