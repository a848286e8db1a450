/** The one style sheet of all pages. */
export const css = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f7f5f1, #14171a);
  --card: light-dark(#ffffff, #1d2226);
  --ink: light-dark(#1c2126, #e8e6e1);
  --quiet: light-dark(#5b646c, #a0a9b0);
  --line: light-dark(#dcd8d0, #333b41);
  --rope: light-dark(#0b5c6b, #5fc3d4);
  --on-rope: light-dark(#ffffff, #0d1214);
  --danger: light-dark(#a5271c, #ff8f82);
  --warn: light-dark(#fdf0d5, #3a2f16);
  --warn-ink: light-dark(#6b4a05, #f3d48a);
}
* { box-sizing: border-box; }
html { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; gap: 1.25rem; align-items: center; padding-top: 1.25rem; padding-bottom: 1.25rem; flex-wrap: wrap; }
header .mark { font-weight: 700; letter-spacing: -0.01em; font-size: 1.1rem; color: var(--ink); text-decoration: none; display: inline-flex; gap: .5rem; align-items: center; }
header svg { width: 1.5rem; height: 1.5rem; color: var(--rope); }
header nav { display: flex; gap: 1rem; margin-left: auto; flex-wrap: wrap; align-items: center; }
header form { display: inline; }
a { color: var(--rope); }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.015em; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
.card > h1:first-child { margin-top: 0; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
p { margin: 0 0 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1.25rem; }
.card > :last-child, .card > form:last-child > :last-child { margin-bottom: 0; }
body:has(main > .narrow) :is(main, footer), body:has(main > .narrow):not(:has(nav)) header { max-width: 29.5rem; }
.quiet { color: var(--quiet); }
.small { font-size: .9rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0 0 1rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.notice { background: var(--warn); color: var(--warn-ink); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; }
.problem { border-left: .25rem solid var(--danger); padding: .25rem 0 .25rem .75rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .35rem; }
label.choice { display: flex; gap: .6rem; font-weight: 400; align-items: baseline; margin: 0 0 .6rem; }
label.choice input { flex: none; margin: 0; width: 1.05rem; height: 1.05rem; accent-color: var(--rope); transform: translateY(.12rem); }
input[type=password], input[type=text], input[type=number], select { width: 100%; font: inherit; padding: .6rem .75rem; border: 1px solid var(--quiet); border-radius: .5rem; background: var(--paper); color: var(--ink); margin-bottom: 1rem; }
::placeholder { color: var(--quiet); opacity: 1; }
fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
legend { font-weight: 600; padding: 0; margin-bottom: .5rem; }
button, .button { font: inherit; font-weight: 600; padding: .6rem 1.1rem; border-radius: .5rem; border: 1px solid var(--quiet); background: transparent; color: var(--ink); cursor: pointer; min-height: 2.75rem; }
button.main { background: var(--rope); border-color: var(--rope); color: var(--on-rope); }
button.danger { border-color: var(--danger); color: var(--danger); }
button:disabled { opacity: .5; cursor: not-allowed; }
button.plain { border: 0; padding: 0; min-height: 0; font-weight: 400; color: var(--rope); text-decoration: underline; }
.row { display: flex; gap: .75rem; flex-wrap: wrap; }
.row button { flex: 1 1 9rem; }
:focus-visible { outline: 3px solid var(--rope); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
th, td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
thead th, thead td { border-top: 0; }
td time, td button { white-space: nowrap; }
td:last-child, th:last-child { padding-right: 0; text-align: right; }
code, .mono { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre.shown { font: .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; margin-bottom: .75rem; }
.secret { display: block; padding: .75rem 1rem; background: var(--paper); border: 1px dashed var(--quiet); border-radius: .5rem; user-select: all; }
footer { color: var(--quiet); font-size: .85rem; padding-top: 1rem; padding-bottom: 2rem; }
@media (max-width: 34rem) {
  header { row-gap: .5rem; }
  header nav { margin-left: 0; width: 100%; }
  table.stack thead { position: absolute; clip-path: inset(50%); }
  table.stack tr { display: block; border-top: 1px solid var(--line); padding: .6rem 0; }
  table.stack td { display: block; border: 0; padding: .1rem 0; text-align: left; }
  table.stack td:first-child { font-weight: 600; }
  table.stack td[data-label]::before { content: attr(data-label) " "; color: var(--quiet); }
  table.stack button { min-height: 2.5rem; }
}
`;
