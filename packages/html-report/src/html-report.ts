// A report as one file that needs nothing else: charts and tables, for a browser, a mail or a printer.
import { latencyChart } from './latency-chart.ts'
import { Markup, markup } from './markup.ts'
import { rateChart, rateCharts } from './rate-chart.ts'
import type { Fact, ReportPage, ReportPart } from './report-page.ts'
import { STYLE } from './style.ts'
import { TABLE_SCRIPT, TABLE_SCRIPT_SOURCE } from './table-script.ts'
import { sentence, table } from './table.ts'

/** Nothing is loaded, and nothing runs but the one script that sorts tables, even if markup of a site were to get in. */
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src ${TABLE_SCRIPT_SOURCE}; base-uri 'none'; form-action 'none'`
/** With fewer headings the page is seen at once. */
const CONTENTS_FROM = 4

/**
 * The whole file.
 *
 * @example
 * ```ts
 * const html = htmlReport({ title: 'shops', subtitle: 'finished', facts: [{ name: 'pages', value: '12' }], parts: [], footer: 'All times are UTC.' })
 * ```
 */
export function htmlReport({ title, subtitle, facts, parts, footer }: ReportPage): string {
  const hasTable = parts.some(({ kind }) => kind === 'table')
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}: report of a crawl</title>${Markup.ours(`<style>${STYLE}</style>`)}</head><body>
<header><h1>${title}</h1>
<p class="quiet">${subtitle}</p></header>
<main><dl class="facts">
${facts.map(fact)}</dl>
${contents(parts)}${parts.map(part)}</main>
<footer>${sentence(footer)}</footer>
${hasTable ? Markup.ours(`<script>${TABLE_SCRIPT}</script>\n`) : null}</body></html>
`.toString()
}

function fact({ name, value, note = null, isBad = false }: Fact): Markup {
  return markup`<div><dt>${name}</dt><dd${isBad ? markup` class="bad"` : null}>${value}${note === null ? null : markup` <small>${note}</small>`}</dd></div>
`
}

/** Links to the headings. */
function contents(parts: readonly ReportPart[]): Markup | null {
  const titled = parts.flatMap((part, n) => (part.kind === 'sentence' ? [] : [{ title: part.title, n }]))
  if (titled.length < CONTENTS_FROM) return null
  return markup`<nav aria-label="Contents"><ul>${titled.map(({ title, n }) => markup`<li><a href="#part-${n}">${title}</a></li>`)}</ul></nav>
`
}

function part(part: ReportPart, n: number): Markup {
  if (part.kind === 'sentence') return markup`<p>${sentence(part.text)}</p>\n`
  return markup`<section aria-labelledby="part-${n}"><h2 id="part-${n}">${part.title}</h2>
${titled(part)}</section>
`
}

function titled(part: Exclude<ReportPart, { readonly kind: 'sentence' }>): Markup {
  if (part.kind === 'table') return table(part)
  if (part.kind === 'rates') return rates(part)
  return markup`<figure>${part.kind === 'rate' ? rateFigure(part) : latencyFigure(part)}</figure>\n`
}

function rateFigure({ chart, note }: ReportPart & { readonly kind: 'rate' }): Markup {
  return markup`${rateCharts(chart)}
<figcaption><span class="key key-well"></span>answered<span class="key key-failed"></span>failed<span class="key key-refused"></span>refused (429, 503); ${note}</figcaption>`
}

function latencyFigure({ chart }: ReportPart & { readonly kind: 'latency' }): Markup {
  return markup`${latencyChart(chart)}
<figcaption><span class="key key-half"></span>half of the answers<span class="key key-nine"></span>9 in 10<span class="key key-most"></span>99 in 100</figcaption>`
}

function rates({ note, charts }: ReportPart & { readonly kind: 'rates' }): Markup {
  return markup`<p class="quiet">Requests a second; <span class="key key-refused"></span>refused<span class="key key-failed"></span>failed. The dashed line is the rate that the policy has found by now, where that is near.${note === undefined ? null : ` ${note}`}</p>
<div class="hosts">${charts.map(
    ({ name, note: words, found, chart }) =>
      markup`<figure><figcaption><b>${name}</b> ${words}${found === undefined ? null : markup`, <span class="whole">${found}</span>`}</figcaption>${rateChart(chart, 'small')}</figure>
`,
  )}</div>
`
}
