// Reads a table as headers and rows, with cells that span columns and rows put where they are seen.
//
// Source of the grid: HTML standard §4.9.12.1, "forming a table".
import type { PageTable } from './page-data.ts'
import { childElements, elementText, type DomElement, type TextBudget } from '../markup/element-text.ts'

/** Caps of the standard (§4.9.11), and one over all: a cell of 1,000 columns and 65,534 rows is some bytes of markup. */
const MAX_COLUMNS = 1_000
const MAX_ROWS = 65_534
const MAX_CELLS = 100_000
/** Of `rows`, empty ones included. */
const MAX_NAMED_CELLS = 1_000_000
/** Of text and markup in cells: tables can be in the cells of tables. */
const MAX_TEXT = 8 * 2 ** 20

interface Row {
  readonly cells: readonly string[]
  /** In `<thead>`, or of nothing but `<th>`. */
  readonly isHead: boolean
  readonly isInHead: boolean
}

/** The table that `element` is. */
export function pageTableOf(element: DomElement): PageTable {
  const grid = new Grid()
  for (const group of rowGroups(element)) grid.add(group)
  const { rows, truncated } = grid
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const hasHead = rows.some(({ isInHead }) => isInHead)
  const leading = rows.findIndex(({ isHead }) => !isHead)
  // A table of nothing but `<th>` has data all the same.
  const headRows = hasHead
    ? rows.filter(({ isInHead }) => isInHead)
    : rows.slice(0, leading === -1 ? Math.min(1, rows.length) : leading)
  const heads = new Set(headRows)
  const below = rows.filter((row) => !heads.has(row)).map(({ cells }) => cells)
  // One row of a thousand columns makes all others as wide.
  const body = below.slice(0, Math.ceil(MAX_NAMED_CELLS / Math.max(1, width)))
  const headers = headersOf(headRows, width)
  const caption = childElements(element, 'caption')[0]
  return {
    caption: caption === undefined ? '' : elementText(caption, { left: MAX_TEXT }),
    headers,
    rows: body.map((cells) => Object.fromEntries(headers.map((header, n) => [header, cells[n] ?? '']))),
    cells: body,
    pairs: Object.fromEntries(body.toReversed().flatMap(([name, value]) => (name && value !== undefined ? [[name, value]] : []))),
    truncated: truncated || body.length < below.length,
  }
}

/** Rows that a cell may span: those of each `<thead>`, `<tbody>` and `<tfoot>`, the last at the end. */
function rowGroups(table: DomElement): readonly (readonly DomElement[])[] {
  const children = childElements(table)
  const rowsIn = (name: string): readonly (readonly DomElement[])[] =>
    children.filter((child) => child.name === name).map((group) => childElements(group, 'tr'))
  const loose = children.filter((child) => child.name === 'tr')
  return [...rowsIn('thead'), ...(loose.length > 0 ? [loose] : []), ...rowsIn('tbody'), ...rowsIn('tfoot')]
}

class Grid {
  readonly rows: Row[] = []
  truncated = false
  #left = MAX_CELLS
  readonly #text: TextBudget = { left: MAX_TEXT }

  /** Adds the rows of a group: no cell spans beyond it. */
  add(group: readonly DomElement[]): void {
    const spanning: Spanning[] = []
    for (const row of group.slice(0, MAX_ROWS)) {
      const elements = childElements(row).filter(({ name }) => name === 'td' || name === 'th')
      const cells = this.#row(elements, spanning)
      const isInHead = row.parent !== null && 'name' in row.parent && row.parent.name === 'thead'
      const isHead = elements.length > 0 && elements.every(({ name }) => name === 'th')
      if (cells.length > 0) this.rows.push({ cells, isInHead, isHead: isHead || isInHead })
      if (this.truncated) return
    }
  }

  #row(elements: readonly DomElement[], spanning: Spanning[]): readonly string[] {
    const cells: string[] = []
    const fill = (): void => {
      for (let above = spanning[cells.length]; above !== undefined && above.rows > 0; above = spanning[cells.length]) {
        above.rows--
        cells.push(above.text)
        this.#left--
      }
    }
    for (const element of elements) {
      if (cells.length >= MAX_COLUMNS) this.truncated = true
      if (this.truncated) break
      fill()
      const text = elementText(element, this.#text)
      const columns = span(element, COLSPAN)
      const below = span(element, ROWSPAN) - 1
      for (let n = 0; n < columns && cells.length < MAX_COLUMNS && this.#left > 0; n++) {
        if (below > 0 || spanning[cells.length] !== undefined) spanning[cells.length] = { text, rows: below }
        cells.push(text)
        this.#left--
      }
    }
    fill()
    if (this.#left <= 0 || this.#text.left <= 0) this.truncated = true
    return cells
  }
}

/** A cell of a row above that goes on, by column. */
interface Spanning {
  readonly text: string
  rows: number
}

const COLSPAN = { name: 'colspan', most: MAX_COLUMNS, zero: 1 }
/** 0 is up to the end of the group. */
const ROWSPAN = { name: 'rowspan', most: MAX_ROWS, zero: Infinity }

/** How many columns or rows a cell takes. */
function span(element: DomElement, { name, most, zero }: typeof COLSPAN): number {
  const digits = /^\s*\+?(\d{1,9})/.exec(element.attribs[name] ?? '1')?.[1] ?? '1'
  return Number(digits) === 0 ? zero : Math.min(Number(digits), most)
}

/** One name a column: different texts of its head rows together. What is empty is the number of the column; what is there twice gets a number. */
function headersOf(headRows: readonly Row[], width: number): readonly string[] {
  const taken = new Map<string, number>()
  return Array.from({ length: width }, (_, column) => {
    const name = [...new Set(headRows.flatMap(({ cells }) => cells[column] || []))].join(' ') || String(column + 1)
    let number = taken.get(name) ?? 0
    let unique = name
    while (taken.has(unique)) unique = `${name} ${String(Math.max(2, ++number))}`
    taken.set(name, number).set(unique, taken.get(unique) ?? 0)
    return unique
  })
}
