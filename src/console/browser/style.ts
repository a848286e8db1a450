import { pagesCss } from './style-pages.ts';
import { partsCss } from './style-parts.ts';

const frameCss = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f5f2, #12161a);
  --side: light-dark(#efede8, #161b20);
  --card: light-dark(#ffffff, #1a2026);
  --sunk: light-dark(#f8f7f4, #141a1f);
  --ink: light-dark(#1b2126, #e9e7e2);
  --quiet: light-dark(#57616a, #a3adb5);
  --line: light-dark(#e2dfd8, #2b343c);
  --edge: light-dark(#8a9299, #6b7680);
  --rope: light-dark(#0b5c6b, #62c6d7);
  --rope-soft: light-dark(#e1eff1, #17343b);
  --on-rope: light-dark(#ffffff, #0c1214);
  --good: light-dark(#1b6136, #7fd6a0);
  --good-soft: light-dark(#e0f2e6, #16301f);
  --warn: light-dark(#fbf0d9, #372c15);
  --warn-ink: light-dark(#6b4a05, #f3d48a);
  --danger: light-dark(#a5271c, #ff9a8f);
  --danger-soft: light-dark(#fce8e5, #3a1c19);
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; scrollbar-gutter: stable; }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); }
a { color: var(--rope); text-underline-offset: .18em; text-decoration-thickness: from-font; }
:focus-visible { outline: 3px solid var(--rope); outline-offset: 2px; border-radius: .3rem; }
main:focus-visible { outline: 0; }
.skip { position: absolute; left: 1rem; top: .5rem; z-index: 9; padding: .5rem .9rem; background: var(--rope); color: var(--on-rope); border-radius: .5rem; }
.skip:not(:focus) { clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; padding: 0; }
.unseen { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }

.mark { font-weight: 700; letter-spacing: -.015em; font-size: 1.15rem; color: var(--ink); text-decoration: none; display: inline-flex; gap: .55rem; align-items: center; min-height: 2rem; }
.mark svg { width: 1.6rem; height: 1.6rem; color: var(--rope); }

.outside header, .outside main, .outside footer { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
.outside header { padding-top: 1.5rem; padding-bottom: 1.25rem; }
.outside:has(main > .narrow) :is(main, footer, header) { max-width: 29.5rem; }

.inside { display: grid; grid-template: "side main" 1fr "side foot" auto / 14.5rem minmax(0, 1fr); }
@media (min-width: 54.01rem) { .inside { background-image: linear-gradient(90deg, var(--side) 14.5rem, transparent 0); } }
.inside header { grid-area: side; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.1rem .9rem; background: var(--side); border-right: 1px solid var(--line); }
.inside header .mark { padding: 0 .7rem; margin-bottom: .6rem; }
.inside main { grid-area: main; width: 100%; max-width: 64rem; padding: 2rem 2.25rem 1rem; }
.inside footer { grid-area: foot; padding: 0 2.25rem 1.75rem; }
.inside main:has(> .narrow) { max-width: 34rem; margin: 0 auto; }
footer { color: var(--quiet); font-size: .87rem; padding-top: .75rem; padding-bottom: 2rem; }

.menu { display: none; }
nav#nav { all: unset; display: flex; flex-direction: column; gap: .55rem; }
nav#nav .group { display: flex; flex-direction: column; gap: .05rem; }
nav#nav .group-name { font-size: .74rem; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); padding: .2rem .7rem .1rem; }
nav#nav a { display: flex; justify-content: space-between; align-items: center; min-height: 1.95rem; padding: .1rem .7rem; border-radius: .5rem; color: var(--ink); text-decoration: none; }
nav#nav a:hover { background: var(--rope-soft); }
nav#nav a[aria-current] { background: var(--card); box-shadow: inset 0 0 0 1px var(--line); font-weight: 600; color: var(--rope); }
nav#nav form { padding: .3rem .7rem; border-top: 1px solid var(--line); padding-top: .6rem; }
nav#nav button.plain { min-height: 1.75rem; color: var(--quiet); text-decoration: none; }
.count { background: var(--rope); color: var(--on-rope); border-radius: 1rem; min-width: 1.4rem; padding: 0 .4rem; text-align: center; font-size: .8rem; font-weight: 700; line-height: 1.4rem; }

h1 { font-size: 1.65rem; line-height: 1.25; letter-spacing: -.02em; font-weight: 680; margin: 0 0 .25rem; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.08rem; line-height: 1.35; letter-spacing: -.01em; font-weight: 650; margin: 0 0 .6rem; overflow-wrap: anywhere; }
h3 { font-size: .98rem; margin: 1.1rem 0 .4rem; }
p { margin: 0 0 .9rem; }
main > h1 { margin-bottom: 1.1rem; }
.heading { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: flex-start; justify-content: space-between; margin: 0 0 1.4rem; }
.heading > div:first-child { flex: 1 1 20rem; min-width: 0; }
.lead { color: var(--quiet); margin: 0; max-width: 44rem; text-wrap: pretty; }
.actions { display: flex; gap: .6rem; flex-wrap: wrap; }

@media (max-width: 54rem) {
  html { font-size: 16px; scrollbar-gutter: auto; }
  .inside { grid-template: "side" auto "main" 1fr "foot" auto / minmax(0, 1fr); }
  .inside header { display: flex; justify-content: space-between; align-items: center; z-index: 5; height: auto; padding: .6rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); overflow: visible; }
  .inside header .mark { margin: 0; padding: 0; }
  .inside main { padding: 1.25rem 1rem .5rem; }
  .inside footer { padding: 0 1rem 1.5rem; }
  @supports selector(:popover-open) {
    .menu { display: inline-block; min-height: 2.5rem; padding: .3rem .9rem; }
    nav#nav:not(:popover-open) { display: none; }
    nav#nav:popover-open { position: fixed; inset: 0 0 0 auto; width: min(18rem, 86vw); height: 100%; overflow-y: auto; scroll-padding: 1rem; padding: 1rem; background: var(--side); color: var(--ink); border-left: 1px solid var(--line); box-shadow: 0 0 3rem #0006; }
    nav#nav::backdrop { background: #0007; }
    nav#nav a { min-height: 2.3rem; }
    nav#nav button.plain { min-height: 2.3rem; }
  }
}
@media (prefers-reduced-motion: no-preference) {
  a, button, .button, .card { transition: background-color .12s, border-color .12s, color .12s; }
}
`;

/** The style sheet of all pages. */
export const css = (frameCss + partsCss + pagesCss).replaceAll(/\n\s*/g, '\n');
