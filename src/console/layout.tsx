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
      <a href="/approvals">Approvals</a>
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

/** A rope that makes a loop and passes under itself. */
function Mark() {
  return (
    <svg
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d={MARK_PATH} />
    </svg>
  );
}

export const MARK_PATH =
  'M6.8 2c.2 7.4 11.9 6.8 11.9 13.9a6.7 6.1 0 0 1-13.4 0c0-2.3 1-3.9 2.6-5.3M14.4 6.4c1.8-1.3 2.7-2.7 2.8-4.4';

/** Something that went wrong, in words. */
export function Problem({ message, suggestion }: { message: string; suggestion?: string | undefined }) {
  return (
    <div class="problem" role="alert">
      <strong>{message}</strong>
      {suggestion ? <div class="quiet">{suggestion}</div> : null}
    </div>
  );
}
