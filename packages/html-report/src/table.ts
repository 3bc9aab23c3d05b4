// A table that reads without any script: headings with scope, a caption for screen readers, and rows in the order in which they were given.
// What the script of the page needs to sort it is beside the cells: the quantity that a text stands for.
import { Markup, markup } from './markup.ts'
import { rateSpark } from './rate-chart.ts'
import type { ReportPart, Sentence, TableCell, TableColumn, TableRow } from './report-page.ts'

/** Below its heading. */
export function table({ title, lead, note, columns, rows, foot }: ReportPart & { readonly kind: 'table' }): Markup {
  return markup`${paragraph(lead)}${paragraph(note, 'quiet')}<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table><caption>${title}</caption>
<thead><tr>${columns.map(heading)}</tr></thead><tbody>
${rows.map((row) => tableRow(row, columns))}</tbody></table></div>
${paragraph(foot, 'quiet')}`
}

/** Pieces with `code` are set as code. */
export function sentence(text: Sentence): Markup {
  if (typeof text === 'string') return markup`${text}`
  return markup`${text.map((piece) => (typeof piece === 'string' ? piece : markup`<code>${piece.code}</code>`))}`
}

function paragraph(text: Sentence | undefined, name?: 'quiet'): Markup | null {
  return text === undefined ? null : markup`<p${name && markup` class="${name}"`}>${sentence(text)}</p>\n`
}

function heading({ name, kind }: TableColumn): Markup {
  return markup`<th scope="col" class="${kind}">${name}</th>`
}

function tableRow({ cells, isBad = false }: TableRow, columns: readonly TableColumn[]): Markup {
  return markup`<tr${isBad ? markup` class="bad"` : null}>${columns.map((column, n) => tableCell(column, cells[n] ?? null, n))}</tr>
`
}

/** The first of a row heads it. */
function tableCell({ kind }: TableColumn, cell: TableCell, n: number): Markup {
  const order = isOrdered(cell) ? markup` data-order="${cell.order}"` : null
  const text = isOrdered(cell) ? cell.text : cell
  const shown = typeof text === 'string' ? (kind === 'name' ? Markup.name(text) : text) : text && rateSpark(text)
  if (n === 0) return markup`<th scope="row" class="${kind}"${order}>${shown}</th>`
  // What is wider than a table cell should be is folded at the width of this box, not at that of the narrowest screen.
  const boxed = (kind === 'name' || kind === 'text') && shown !== null ? markup`<div>${shown}</div>` : shown
  return markup`<td${kind === 'number' ? null : markup` class="${kind}"`}${order}>${boxed}</td>`
}

function isOrdered(cell: TableCell): cell is { readonly text: string; readonly order: number } {
  return typeof cell === 'object' && cell !== null && 'order' in cell
}
