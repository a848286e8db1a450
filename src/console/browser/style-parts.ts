/** Styles of the parts that pages consist of. */
export const partsCss = `
.card { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1.15rem 1.25rem; margin: 0 0 1.1rem; box-shadow: 0 1px 2px light-dark(#1b21260a, #0003); }
.card > :last-child, .card > form:last-child > :last-child { margin-bottom: 0; }
.card > h1:first-child { margin: 0 0 .9rem; }
.card-head { display: flex; gap: .4rem 1rem; flex-wrap: wrap; align-items: baseline; justify-content: space-between; margin-bottom: .75rem; }
.card-head h2 { margin: 0; }
.card-head .aside { color: var(--quiet); font-size: .9rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0 1.1rem; align-items: start; }
.quiet { color: var(--quiet); }
.small { font-size: .9rem; }
.num { font-variant-numeric: tabular-nums; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: .8rem; margin: 0 0 1.1rem; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: .85rem 1rem; color: inherit; text-decoration: none; }
a.tile:hover { border-color: var(--rope); }
.tile .value { display: block; font-size: 1.55rem; font-weight: 680; letter-spacing: -.02em; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile .name { color: var(--quiet); font-size: .9rem; }
.tile.calls-for { background: var(--rope-soft); border-color: var(--rope); }

.badge { display: inline-block; padding: .02rem .55rem; border-radius: 1rem; font-size: .84rem; font-weight: 600; line-height: 1.5; white-space: nowrap; background: var(--sunk); color: var(--quiet); box-shadow: inset 0 0 0 1px var(--line); }
.badge.good { background: var(--good-soft); color: var(--good); box-shadow: none; }
.badge.warn { background: var(--warn); color: var(--warn-ink); box-shadow: none; }
.badge.bad { background: var(--danger-soft); color: var(--danger); box-shadow: none; }

.facts { display: grid; grid-template-columns: fit-content(8rem) minmax(0, 1fr); gap: .4rem 1.25rem; margin: 0 0 1rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.notice { background: var(--warn); color: var(--warn-ink); border-radius: .55rem; padding: .7rem 1rem; margin: 0 0 1rem; }
.notice a { color: inherit; }
.problem { background: var(--danger-soft); border-left: .25rem solid var(--danger); border-radius: .3rem .55rem .55rem .3rem; padding: .65rem 1rem; margin: 0 0 1.1rem; overflow-wrap: anywhere; }
.done { background: var(--good-soft); color: var(--good); border-radius: .55rem; padding: .65rem 1rem; margin: 0 0 1.1rem; }
.problem .quiet { color: inherit; }
.empty { text-align: center; padding: 1.75rem 1rem; }
.empty p { margin: 0 auto; max-width: 32rem; }
.empty-title { font-weight: 600; margin-bottom: .25rem; }

label { display: block; font-weight: 600; margin-bottom: .3rem; }
.hint { color: var(--quiet); font-size: .9rem; font-weight: 400; margin: -.1rem 0 .35rem; }
.field { margin-bottom: 1rem; }
.field > :is(input, select, textarea) { margin-bottom: 0; }
.field-problem { color: var(--danger); font-size: .93rem; margin: .3rem 0 0; }
label.choice { display: flex; gap: .6rem; font-weight: 400; align-items: baseline; margin: 0 0 .6rem; min-height: 1.6rem; }
label.choice input { flex: none; margin: 0; width: 1.05rem; height: 1.05rem; accent-color: var(--rope); transform: translateY(.12rem); }
:where(input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea) { width: 100%; font: inherit; padding: .5rem .7rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sunk); color: var(--ink); margin-bottom: 1rem; min-height: 2.6rem; }
textarea { font-family: var(--mono); font-size: .92rem; min-height: 5rem; resize: vertical; }
[aria-invalid=true] { border-color: var(--danger) !important; box-shadow: 0 0 0 1px var(--danger); }
::placeholder { color: var(--quiet); opacity: 1; }
fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: .45rem; }
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.6rem), 1fr)); gap: .6rem .8rem; align-items: end; }
.filters :is(input, select) { margin-bottom: 0; height: 2.6rem; min-width: 0; }
.filters label { font-size: .88rem; color: var(--quiet); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: 0 1.1rem; }

button, .button { font: inherit; font-weight: 600; padding: .45rem 1rem; border-radius: .55rem; border: 1px solid var(--edge); background: var(--card); color: var(--ink); cursor: pointer; min-height: 2.6rem; }
.button { display: inline-flex; align-items: center; text-decoration: none; }
button:hover, .button:hover { border-color: var(--rope); color: var(--rope); }
button.main, .button.main { background: var(--rope); border-color: var(--rope); color: var(--on-rope); }
button.main:hover, .button.main:hover { background: color-mix(in srgb, var(--rope) 88%, var(--ink)); color: var(--on-rope); }
button.danger { border-color: var(--danger); color: var(--danger); }
button:disabled { opacity: .5; cursor: not-allowed; }
button.plain { border: 0; padding: 0; min-height: 1.6rem; background: none; font-weight: 400; color: var(--rope); text-decoration: underline; text-underline-offset: .18em; }
button.plain.danger { color: var(--danger); }
.row { display: flex; gap: .7rem; flex-wrap: wrap; }
.row button { flex: 1 1 9rem; }
.row.loose button { flex: 0 0 auto; }
.pager { display: flex; gap: .6rem; justify-content: flex-end; margin: 0 0 1.1rem; }

table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
th, td { padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
thead th, thead td { border-top: 0; padding-top: 0; }
td time, td button { white-space: nowrap; }
td:last-child, th:last-child { padding-right: 0; text-align: right; }
td a { display: inline-block; min-height: 24px; }
code, .mono { font-family: var(--mono); font-size: .92em; overflow-wrap: anywhere; }
pre.shown { font: .9rem/1.55 var(--mono); background: var(--sunk); border: 1px solid var(--line); border-radius: .55rem; padding: .75rem 1rem; margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; min-height: 24px; color: var(--rope); }
details[open] > summary { margin-bottom: .6rem; }
.copyable { display: flex; gap: .6rem; align-items: stretch; margin: 0 0 1rem; }
.copyable .secret { flex: 1; min-width: 0; margin: 0; }
.secret { display: block; padding: .55rem .9rem; background: var(--sunk); border: 1px dashed var(--edge); border-radius: .55rem; user-select: all; overflow-wrap: anywhere; }

.chart { width: 100%; height: auto; display: block; }
.chart .bar { fill: var(--rope); }
.chart .bar.bad { fill: var(--danger); }
.chart .axis { stroke: var(--line); stroke-width: 1; }
.chart text { fill: var(--quiet); font-size: 12px; font-variant-numeric: tabular-nums; }
.chart .line { fill: none; stroke: var(--rope); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.chart .line.far { stroke: var(--edge); stroke-dasharray: 4 4; }
.chart .dot { fill: var(--rope); }
.chart .dot.far { fill: var(--edge); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; color: var(--quiet); font-size: .88rem; margin: .5rem 0 0; padding: 0; list-style: none; }
.legend svg { width: 1.1rem; height: .7rem; margin-right: .4rem; }

.ask { display: grid; gap: .35rem 1rem; grid-template-columns: minmax(0, 1fr) auto; padding: .85rem 0; border-top: 1px solid var(--line); }
.ask:first-child { border-top: 0; padding-top: 0; }
.ask:last-child { padding-bottom: 0; }
.asks { list-style: none; margin: 0; padding: 0; }
.asks a { font-weight: 650; text-decoration: none; min-height: 24px; display: inline-block; }
.asks a:hover { text-decoration: underline; }
.peek { grid-column: 1 / -1; margin: 0; color: var(--quiet); font: .88rem/1.5 var(--mono); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }

.peeked { grid-column: 1 / -1; min-width: 0; }
.peeked pre.asked { margin-bottom: .6rem; }
.peeked .row { margin: 0; }
.several { display: grid; gap: .5rem; border-top: 1px solid var(--line); padding-top: .85rem; margin-top: .85rem; }
.question { font-size: 1.35rem; text-wrap: pretty; }
.question code { font-size: .9em; }
.standing { margin: 0 0 .8rem; }
.reason { margin: 0 0 .8rem; overflow-wrap: anywhere; }
pre.asked { font: .88rem/1.5 var(--mono); background: var(--sunk); border: 1px solid var(--line); border-radius: .55rem; padding: .6rem .8rem; margin: 0 0 .8rem; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
pre.asked > span { display: block; margin: 0 -.8rem; padding: 0 .8rem; }
pre.asked .added { background: var(--good-soft); }
pre.asked .removed { background: var(--danger-soft); }
pre.asked .hunk { color: var(--quiet); }
.card > details.more { margin: 0 0 .8rem; }
details.more > summary { font-weight: 600; }
.noted { margin: 0 0 .8rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
.unusual { max-height: 7rem; overflow-y: auto; margin: 0 0 .6rem; background: var(--warn); color: var(--warn-ink); border-radius: .55rem; padding: .4rem .8rem; }
.unusual .noted { margin: 0; padding-left: 1rem; }
.affected { list-style: none; margin: 0 0 .8rem; padding: 0; overflow-wrap: anywhere; }
.decision { display: contents; }
.decide { position: sticky; bottom: 0; z-index: 2; background: var(--card); padding: .6rem 0; }
.decide .row { margin: 0; }
.decide .folded { margin: 0 0 .4rem; }
.widths { display: grid; gap: .1rem; margin: 0 0 .8rem; }
.widths label { display: flex; gap: .7rem; align-items: baseline; padding: .5rem 0; margin: 0; font-weight: inherit; cursor: pointer; }
.widths label > span { display: grid; gap: .1rem; min-width: 0; overflow-wrap: anywhere; }
.widths strong { font-weight: 600; }
.warned { color: var(--danger); }
#always { scroll-margin-top: 1rem; }
.decide .held { margin: .4rem 0 0; }
button.plain { border: 0; background: none; padding: 0; min-height: 24px; color: var(--rope); font-weight: 600; text-decoration: underline; }
.why-not summary { padding-block: .35rem; }
html:has(.decide) { scroll-padding-bottom: 5rem; }

.rule:not(:has(#kind option[value=arguments]:checked)) .when-arguments,
.rule:not(:has(#kind option[value=json]:checked)) .when-json,
.rule:not(:has(#kind option[value=tool]:checked)) .when-tool,
.rule:not(:has(#kind option[value=argv]:checked)) .when-argv { display: none; }

@media (max-width: 34rem) {
  .decide .row, .peeked .row { gap: .5rem; flex-wrap: nowrap; }
  .decide button, .decide .button, .peeked button, .peeked .button { flex: 1 1 0; justify-content: center; padding: .45rem .3rem; white-space: nowrap; }
  .decide button.main, .peeked button.main { flex-grow: 1.6; }
  .card { padding: 1rem; border-radius: .7rem; }
  .facts { column-gap: .9rem; }
  .facts dt { min-width: 5.2rem; }
  table.stack thead { display: block; position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.stack, table.stack tbody { display: block; }
  table.stack tr { display: block; border-top: 1px solid var(--line); padding: .6rem 0; }
  table.stack tbody tr:first-child { border-top: 0; padding-top: 0; }
  table.stack td { display: block; border: 0; padding: .1rem 0; text-align: left; }
  table.stack td:first-child { font-weight: 600; }
  table.stack td[data-label]::before { content: attr(data-label) " "; color: var(--quiet); font-weight: 400; }
  table.stack button { min-height: 2.5rem; }
  table.dense tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; }
  table.stack.dense td { color: var(--quiet); font-size: .9rem; }
  table.stack.dense td:empty { display: none; }
  table.stack.dense td:first-child { order: -2; flex: 1 1 55%; font-size: 1rem; }
  table.stack.dense td:last-child { order: -1; }
  .pager .button { flex: 1; justify-content: center; }
}
`;
