/** Styles that only some pages need: entries, code, steps, the hops of a path. */
export const pagesCss = `
.search { display: flex; gap: .6rem; margin: 0 0 1.1rem; }
.search input { flex: 1; min-width: 0; margin: 0 !important; }
.crumbs { color: var(--quiet); margin: 0 0 .35rem; overflow-wrap: anywhere; }
.crumbs a { display: inline-block; min-height: 24px; }
.links { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; }
.links a { display: inline-block; min-height: 24px; }
.chip { display: inline-block; padding: .02rem .5rem; margin: 0 .35rem .3rem 0; background: var(--sunk); border: 1px solid var(--line); border-radius: .4rem; }
.field > :is(input, select, textarea) { margin-bottom: 0 !important; }
.hint code, .lead code { font-size: .9em; }
th, td.code { overflow-wrap: normal; }
td.code { white-space: nowrap; }
dd details, .card > details { margin: 0; }
.row + details { margin-top: 1rem; }

.copyable .secret { white-space: pre-wrap; }

.entries { list-style: none; margin: 0 0 1rem; padding: 0; }
.entry { padding: .85rem 0; border-top: 1px solid var(--line); scroll-margin-top: 5rem; }
.entry:first-child { border-top: 0; padding-top: 0; }
.entry > :last-child { margin-bottom: 0; }
.entry.asked, .entry:target { border-left: .25rem solid var(--rope); padding-left: .9rem; }
.entry-head { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; margin-bottom: .35rem; }
.entry-head a { font-weight: 600; text-decoration: none; display: inline-block; min-height: 24px; }
.entry-head a:hover { text-decoration: underline; }
.entry-head .badge { white-space: normal; overflow-wrap: anywhere; }
.entry-text { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }

ol.code { list-style: none; margin: 0 0 1rem; padding: 0; font: .88rem/24px var(--mono); overflow-x: auto; }
ol.code li { display: flex; gap: 1rem; min-height: 24px; scroll-margin-top: 5rem; }
ol.code li:target { background: var(--rope-soft); }
ol.code a { flex: 0 0 3.4rem; text-align: right; color: var(--quiet); text-decoration: none; user-select: none; font-variant-numeric: tabular-nums; }
ol.code a:hover { color: var(--rope); }
ol.code code { flex: 1; min-width: 0; font-size: inherit; white-space: pre-wrap; tab-size: 4; }

.hops { list-style: none; margin: 0 0 1rem; padding: 0; counter-reset: hop; }
.hops li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr) auto; gap: .2rem .8rem; align-items: baseline; padding: .4rem 0; border-top: 1px solid var(--line); }
.hops li:first-child { border-top: 0; }
.hops .ms { color: var(--quiet); font-variant-numeric: tabular-nums; }
.hops .said { grid-column: 2 / -1; color: var(--quiet); font-size: .9rem; }

.steps { margin: 0 0 1rem; padding: 0 0 0 1.35rem; }
.steps li { margin-bottom: .45rem; padding-left: .25rem; }
.steps li::marker { color: var(--quiet); font-variant-numeric: tabular-nums; }
.address { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1.5rem; align-items: center; }
.qr { width: 9rem; height: 9rem; border-radius: .5rem; }
.todo { list-style: none; margin: 0; padding: 0; }
.todo li { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2rem 1rem; padding: 1rem 0; border-top: 1px solid var(--line); }
.todo li:first-child { border-top: 0; padding-top: 0; }
.todo h2 { margin: 0 0 .25rem; }
.todo p { margin: 0 0 .5rem; }
.todo .tick { width: 1.75rem; height: 1.75rem; border-radius: 50%; border: 2px solid var(--edge); display: grid; place-items: center; color: var(--quiet); font-weight: 700; font-size: .9rem; }
.todo .done-step .tick { background: var(--good-soft); border-color: var(--good); color: var(--good); }
.todo .body > :last-child { margin-bottom: 0; }
.tools { list-style: none; margin: 0; padding: 0; }
.tools li { padding: .7rem 0; border-top: 1px solid var(--line); display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem 1rem; align-items: baseline; }
.tools li:first-child { border-top: 0; padding-top: 0; }
.tools a { font-weight: 600; text-decoration: none; display: inline-block; min-height: 24px; }
.tools a:hover { text-decoration: underline; }
.tools p { grid-column: 1 / -1; margin: 0; color: var(--quiet); }
@media (max-width: 34rem) {
  td.code { white-space: normal; overflow-wrap: anywhere; }
  .address { grid-template-columns: minmax(0, 1fr); }
  ol.code a { flex-basis: 2.4rem; }
  ol.code li { gap: .6rem; }
}
`;
