// The one script of a report: it sorts tables by a click on a heading, and filters long ones. It asks nothing of anybody, and the page is whole without it.
//
// It is inline, for the report is one file, and the policy of the page names its hash: nothing else runs, even if markup of a site got in. Headings become
// buttons here, so that without the script there is none that does nothing. Names are compared as people count (2 before 10), numbers by `data-order`, which is
// the quantity that a text such as `1 min 30 s` stands for. Empty cells are last in both directions.
import { createHash } from 'node:crypto'

const FILTERED_FROM = 12

/** What runs. */
export const TABLE_SCRIPT: string = `
'use strict'
const compareNames = new Intl.Collator('en', { numeric: true }).compare
const isNumber = (head) => head.className === 'number'
function valueOf(row, n, head) {
  const cell = row.cells[n]
  if (cell.dataset.order !== undefined) return Number(cell.dataset.order)
  const text = cell.textContent.trim()
  if (!isNumber(head)) return text
  const number = Number(text.replaceAll(',', ''))
  return text === '' || Number.isNaN(number) ? '' : number
}
function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareNames(String(a), String(b))
}
function sort(table, head, n) {
  const first = isNumber(head) ? 'descending' : 'ascending'
  const other = first === 'ascending' ? 'descending' : 'ascending'
  const direction = head.getAttribute('aria-sort') === first ? other : first
  for (const each of table.tHead.rows[0].cells) each.removeAttribute('aria-sort')
  head.setAttribute('aria-sort', direction)
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, n, head), row])
  const sign = direction === 'ascending' ? 1 : -1
  rows.sort(([a], [b]) => (a === '' || b === '' ? (a === '') - (b === '') : sign * compare(a, b)))
  table.tBodies[0].append(...rows.map(([, row]) => row))
}
function addFilter(table) {
  const rows = [...table.tBodies[0].rows].map((row) => [row.textContent.toLowerCase(), row])
  const label = document.createElement('label')
  const input = document.createElement('input')
  const count = document.createElement('output')
  label.className = 'filter'
  input.type = 'search'
  input.placeholder = 'filter rows'
  label.append('Filter ', input, ' ', count)
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(' ').filter(Boolean)
    let shown = 0
    for (const [text, row] of rows) {
      row.hidden = !words.every((word) => text.includes(word))
      if (!row.hidden) shown++
    }
    count.textContent = words.length === 0 ? '' : shown + ' of ' + rows.length
  })
  table.parentElement.before(label)
}
for (const table of document.querySelectorAll('table')) {
  if (table.tBodies[0].rows.length < 2) continue
  for (const [n, head] of [...table.tHead.rows[0].cells].entries()) {
    if (head.className === 'shape') continue
    const button = document.createElement('button')
    button.type = 'button'
    button.append(...head.childNodes)
    head.append(button)
    button.addEventListener('click', () => sort(table, head, n))
  }
  if (table.tBodies[0].rows.length >= ${FILTERED_FROM}) addFilter(table)
}
`

/** What a policy calls it. */
export const TABLE_SCRIPT_SOURCE: string = `'sha256-${createHash('sha256').update(TABLE_SCRIPT).digest('base64')}'`
