// A report as one file that needs nothing else: charts and tables, for a browser, a mail or a printer.
import { latencyChart } from './latency-chart.ts'
import { Markup, markup } from './markup.ts'
import { rateChart, rateSpark } from './rate-chart.ts'
import type { TableColumn, Fact, ReportPage, ReportPart, TableRow, Sentence } from './report-page.ts'
import { STYLE } from './style.ts'

/** Nothing is loaded and nothing runs, whatever slipped in. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/**
 * The whole file.
 *
 * @example
 * ```ts
 * const html = htmlReport({ title: 'shops', subtitle: 'finished', facts: [{ name: 'pages', value: '12' }], parts: [], footer: 'All times are UTC.' })
 * ```
 */
export function htmlReport({ title, subtitle, facts, parts, footer }: ReportPage): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}: report of a crawl</title>${Markup.ours(`<style>${STYLE}</style>`)}</head><body>
<h1>${title}</h1>
<p class="quiet">${subtitle}</p>
<dl class="facts">
${facts.map(fact)}</dl>
${parts.map(part)}<footer>${sentence(footer)}</footer>
</body></html>
`.toString()
}

function fact({ name, value, note = null }: Fact): Markup {
  return markup`<div><dt>${name}</dt><dd>${value}</dd>${note === null ? null : markup`<small>${note}</small>`}</div>
`
}

function sentence(text: Sentence): Markup {
  if (typeof text === 'string') return markup`${text}`
  return markup`${text.map((piece) => (typeof piece === 'string' ? piece : markup`<code>${piece.code}</code>`))}`
}

function part(part: ReportPart): Markup {
  if (part.kind === 'sentence') return markup`<p>${sentence(part.text)}</p>\n`
  if (part.kind === 'table') return table(part)
  if (part.kind === 'rates') return rates(part)
  return markup`<h2>${part.title}</h2><figure>${part.kind === 'rate' ? rateFigure(part) : latencyFigure(part)}</figure>\n`
}

function rateFigure({ chart, note }: ReportPart & { readonly kind: 'rate' }): Markup {
  return markup`${rateChart(chart, 'large')}
<figcaption><span class="key key-well"></span>answered<span class="key key-failed"></span>failed<span class="key key-refused"></span>refused (429, 503); ${note}</figcaption>`
}

function latencyFigure({ chart }: ReportPart & { readonly kind: 'latency' }): Markup {
  return markup`${latencyChart(chart)}
<figcaption><span class="key key-half"></span>half of the answers<span class="key key-nine"></span>9 in 10<span class="key key-most"></span>99 in 100</figcaption>`
}

function rates({ title, note, charts }: ReportPart & { readonly kind: 'rates' }): Markup {
  return markup`<h2>${title}</h2>
<p class="quiet">Requests a second; <span class="key key-refused"></span>refused, <span class="key key-failed"></span>failed. The dashed line is the rate that the policy has found by now, where that is near.${note === undefined ? null : ` ${note}`}</p>
<div class="hosts">${charts.map(
    ({ name, note: words, found, chart }) =>
      markup`<figure><figcaption><b>${name}</b> ${words}${found === undefined ? null : markup`, <span class="whole">${found}</span>`}</figcaption>${rateChart(chart, 'small')}</figure>
`,
  )}</div>
`
}

function table({ title, lead, note, columns, rows, foot }: ReportPart & { readonly kind: 'table' }): Markup {
  return markup`<h2>${title}</h2>
${lead === undefined ? null : markup`<p>${sentence(lead)}</p>\n`}${note === undefined ? null : markup`<p class="quiet">${sentence(note)}</p>\n`}<div class="scroll"><table>
<tr>${columns.map(({ name, kind }) => markup`<th${kind === 'number' ? null : markup` class="text"`}>${name}</th>`)}</tr>
${rows.map((row) => tableRow(row, columns))}</table></div>
${foot === undefined ? null : markup`<p class="quiet">${foot}</p>\n`}`
}

function tableRow({ cells, isBad = false }: TableRow, columns: readonly TableColumn[]): Markup {
  return markup`<tr${isBad ? markup` class="bad"` : null}>${columns.map(({ kind }, n) => {
    const cell = cells[n]
    const shown = typeof cell === 'object' && cell !== null ? rateSpark(cell) : cell
    return markup`<td${kind === 'number' ? null : markup` class="${kind}"`}>${shown}</td>`
  })}</tr>
`
}
