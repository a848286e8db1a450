import type { Child } from 'hono/jsx';
import { Mark } from './mark.tsx';
import { Navigation } from './nav.tsx';
import { MAIN, NEWS } from './page-names.ts';

interface PageProps {
  readonly title: string;
  readonly children: Child;
  /** The token of a signed-in owner. Shows the navigation, with a way to sign out. */
  readonly csrf?: string;
  /** More scripts of ours for this page, by name under `/assets/`. */
  readonly scripts?: readonly string[];
  /** The page of the navigation that this one belongs to, if its title is not that page's name. */
  readonly within?: string;
}

/** Draws the frame of every page. */
export function Page({ title, children, csrf, scripts = [], within = title }: PageProps) {
  const needed = csrf ? ['console.js', ...scripts] : scripts;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#f6f5f2" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#12161a" media="(prefers-color-scheme: dark)" />
        <meta name="robots" content="noindex" />
        <title>{title} · Bowline</title>
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/assets/icon-180.png" />
        <link rel="manifest" href="/assets/manifest.webmanifest" />
        <link rel="stylesheet" href="/assets/console.css" />
        {needed.map((name) => (
          <script src={`/assets/${name}`} defer />
        ))}
      </head>
      <body class={csrf ? 'inside' : 'outside'}>
        <a class="skip" href={`#${MAIN}`}>
          Skip to the page
        </a>
        <header>
          <a class="mark" href="/">
            <Mark /> Bowline
          </a>
          {csrf ? <Navigation csrf={csrf} current={within} /> : null}
        </header>
        <main id={MAIN} tabindex={-1}>
          {children}
        </main>
        {csrf ? <p class="unseen" id={NEWS} role="status" /> : null}
        <footer>One address for everything you own.</footer>
      </body>
    </html>
  );
}

/** Shows in words what went wrong. */
export function Problem({ message, suggestion }: { message: string; suggestion?: string | undefined }) {
  return (
    <div class="problem" role="alert">
      <strong>{message}</strong>
      {suggestion ? <div class="quiet">{suggestion}</div> : null}
    </div>
  );
}
