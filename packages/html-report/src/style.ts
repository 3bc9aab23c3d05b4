// How the report looks: light and dark by the reader's own wish, and on paper. No font and no picture is loaded.

/** The style sheet. */
export const STYLE: string = `
:root { color-scheme: light dark; --ink: #1f2a33; --quiet: #66737d; --line: #d9dfe3; --page: #fff; --card: #f6f8f9;
  --well: #2a8796; --refused: #d9651a; --failed: #9a86ad; --half: #2a8796; --nine: #c08a1e; --most: #b5475d; --bad: #b3261e; --link: #0b6b7b }
@media (prefers-color-scheme: dark) { :root { --ink: #dde4e8; --quiet: #93a1ab; --line: #37434c; --page: #161c21; --card: #1e262c;
  --well: #4fb3c2; --refused: #f08c45; --failed: #b7a3ca; --half: #4fb3c2; --nine: #e0b04a; --most: #e2788c; --bad: #ff8a80; --link: #6cc5d3 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 92rem; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem }
p { margin: .3rem 0; max-width: 60rem }
.quiet, thead th, figcaption, .axis { color: var(--quiet) }
dd.bad, tr.bad > th { color: var(--bad); font-weight: 600 }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .6rem; margin: 1.2rem 0 }
dl.facts div { background: var(--card); border-radius: .4rem; padding: .55rem .8rem }
dl.facts dt { color: var(--quiet); font-size: .82rem }
dl.facts dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums }
dl.facts small { display: block; color: var(--quiet); font-size: .8rem; font-weight: 400 }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; margin: 1rem 0; font-size: .88rem }
a { color: var(--link) }
.scroll { overflow-x: auto }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
th, td { padding: .22rem .5rem; vertical-align: top; text-align: right }
thead th { font-weight: 500; white-space: nowrap; vertical-align: bottom }
td:not([class]), .word { white-space: nowrap }
th:not(.number), td[class] { text-align: left }
td.name > div, td.text > div { overflow-wrap: anywhere; width: max-content; max-width: 16rem; min-width: 100% }
tbody th, td { border-top: 1px solid var(--line) }
tbody th { font-weight: inherit; overflow-wrap: anywhere; min-width: 11rem; max-width: 22rem;
  position: sticky; left: 0; background: var(--page) }
thead th:first-child { position: sticky; left: 0; z-index: 1; background: var(--page) }
tbody tr:hover > * { background: var(--card) }
thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; white-space: nowrap }
thead button:hover { color: var(--ink); text-decoration: underline }
th[aria-sort] { color: var(--ink) }
th[aria-sort='ascending'] button::after { content: ' ▲' } th[aria-sort='descending'] button::after { content: ' ▼' }
.filter { display: block; margin: .4rem 0; font-size: .88rem; color: var(--quiet) }
.filter input { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .3rem;
  padding: .2rem .5rem; width: min(18rem, 60vw) }
figure { margin: .5rem 0 }
svg { display: block; width: 100%; height: auto; overflow: visible }
svg.narrow { display: none }
svg.spark { width: 96px; height: 18px }
.axis { font-size: 11px; fill: var(--quiet) }
.grid { stroke: var(--line); stroke-width: 1 }
.bar-well, .key-well { fill: var(--well); background: var(--well) }
.bar-refused, .key-refused { fill: var(--refused); background: var(--refused) }
.bar-failed, .key-failed { fill: var(--failed); background: var(--failed) }
.found { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 4 3; opacity: .7 }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round }
.curve-half { stroke: var(--half) } .curve-nine { stroke: var(--nine) } .curve-most { stroke: var(--most) }
.key-half { background: var(--half) } .key-nine { background: var(--nine) } .key-most { background: var(--most) }
.key { display: inline-block; width: .8em; height: .8em; border-radius: .15em; margin: 0 .3em 0 .9em; vertical-align: -.05em }
.key:first-child { margin-left: 0 }
.hosts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: 1rem }
.hosts figure { margin: 0; background: var(--card); border-radius: .4rem; padding: .6rem .8rem; break-inside: avoid }
.hosts figcaption { font-size: .82rem; overflow-wrap: anywhere }
.whole { white-space: nowrap }
.hosts figcaption b { color: var(--ink); font-weight: 600 }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem }
@media (max-width: 40rem) { svg.large { display: none } svg.narrow { display: block }
  dl.facts { grid-template-columns: repeat(2, 1fr) } tbody th { min-width: min(9.5rem, 38vw); max-width: 11rem }
  td.name > div, td.text > div { max-width: 12rem } }
@media print { svg.large { display: block } svg.narrow, .filter, nav { display: none } .scroll { overflow: visible }
  td > div { width: auto !important } [hidden] { display: none }
  body { max-width: none; padding: 0; font-size: 11px } .hosts { grid-template-columns: repeat(2, 1fr) }
  h2 { break-after: avoid } tr { break-inside: avoid } * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`
