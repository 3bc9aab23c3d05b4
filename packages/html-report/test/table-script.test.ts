// The script of a report, run on the tables that it would find, by a stand-in for what it uses of a browser.
import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { htmlReport, type TableCell, type TableColumn } from '@avocet/html-report'
import { describe, expect, it } from 'vitest'
import { TABLE_SCRIPT } from '../src/table-script.ts'

/** As much of an element as the script uses. */
class Element {
  textContent: string
  readonly dataset: Record<string, string> = {}
  readonly attributes = new Map<string, string>()
  readonly heard = new Map<string, () => void>()
  childNodes: unknown[] = []
  cells: Element[] = []
  className = ''
  type = ''
  value = ''
  hidden = false

  constructor(textContent = '') {
    this.textContent = textContent
  }

  append(...nodes: unknown[]): void {
    this.childNodes.push(...nodes)
  }

  addEventListener(name: string, hear: () => void): void {
    this.heard.set(name, hear)
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }
}

interface Shown {
  readonly click: (n: number) => void
  /** Types words into the filter. */
  readonly filter: (words: string) => void
  readonly column: (n: number) => readonly string[]
  readonly heads: readonly Element[]
  readonly made: readonly Element[]
}

/** A table with the script at work. */
function shown(columns: readonly TableColumn[], rows: readonly (readonly TableCell[])[]): Shown {
  const heads = columns.map(({ name, kind }) => Object.assign(new Element(name), { className: kind }))
  const body = rows.map((cells) => {
    const its = cells.map((cell) => {
      const element = new Element(typeof cell === 'string' ? cell : cell !== null && 'order' in cell ? cell.text : '')
      if (typeof cell === 'object' && cell !== null && 'order' in cell) element.dataset['order'] = String(cell.order)
      return element
    })
    return Object.assign(new Element(its.map(({ textContent }) => textContent).join(' ')), { cells: its })
  })
  const made: Element[] = []
  const tBody = { rows: body, append: (...moved: Element[]) => void body.splice(0, body.length, ...moved) }
  const table = { tHead: { rows: [{ cells: heads }] }, tBodies: [tBody], parentElement: { before: () => undefined } }
  const createElement = (): Element => {
    const element = new Element()
    made.push(element)
    return element
  }
  runInNewContext(TABLE_SCRIPT, { document: { querySelectorAll: () => [table], createElement } })
  return {
    click: (n) => buttonIn(heads[n]).heard.get('click')?.(),
    filter(words) {
      const input = made.find(({ type }) => type === 'search')
      if (input === undefined) throw new Error('there is no filter')
      input.value = words
      input.heard.get('input')?.()
    },
    column: (n) => body.filter(({ hidden }) => !hidden).map(({ cells }) => cells[n]?.textContent ?? ''),
    heads,
    made,
  }
}

function buttonIn(head: Element | undefined): Element {
  const button = head?.childNodes[0]
  if (!(button instanceof Element)) throw new Error('there is no button')
  return button
}

const COLUMNS: readonly TableColumn[] = [
  { name: 'host', kind: 'name' },
  { name: 'rate', kind: 'shape' },
  { name: 'pages', kind: 'number' },
  { name: 'half in', kind: 'number' },
]
const ROWS: readonly (readonly TableCell[])[] = [
  ['shop-10.example', null, '9', { text: '1 min 30 s', order: 90_000 }],
  ['shop-2.example', null, '1,204', null],
  ['shop-1.example', null, '30', { text: '850 ms', order: 850 }],
]

describe('the script of a table', () => {
  it('sorts names as people count, and says so to screen readers', () => {
    const { click, column, heads } = shown(COLUMNS, ROWS)

    click(0)
    expect(column(0)).toEqual(['shop-1.example', 'shop-2.example', 'shop-10.example'])
    expect(heads[0]?.getAttribute('aria-sort')).toBe('ascending')
    click(0)
    expect(column(0)).toEqual(['shop-10.example', 'shop-2.example', 'shop-1.example'])
    expect(heads[0]?.getAttribute('aria-sort')).toBe('descending')
  })

  it('sorts numbers by what they stand for, the largest first, and what is missing last in both directions', () => {
    const { click, column, heads } = shown(COLUMNS, ROWS)

    click(2)
    expect(column(2)).toEqual(['1,204', '30', '9'])
    click(3)
    expect(column(3)).toEqual(['1 min 30 s', '850 ms', ''])
    click(3)
    expect(column(3)).toEqual(['850 ms', '1 min 30 s', ''])
    expect(heads.map((head) => head.getAttribute('aria-sort'))).toEqual([null, null, null, 'ascending'])
  })

  it('has no button where there is nothing to sort by, and no filter above a short table', () => {
    const { heads, made } = shown(COLUMNS, ROWS)

    expect(heads.map(({ childNodes }) => childNodes.length)).toEqual([1, 0, 1, 1])
    expect(made).toHaveLength(3)
    expect(shown(COLUMNS, ROWS.slice(0, 1)).made).toEqual([])
  })

  it('shows of a long table the rows that have all words, and how many', () => {
    const many = Array.from({ length: 30 }, (_, n): readonly TableCell[] => [
      `shop-${n + 1}.example`,
      null,
      n % 2 ? 'odd' : 'even',
      null,
    ])
    const { filter, column, made } = shown(COLUMNS, many)

    filter('SHOP-1 even')
    expect(column(0)).toEqual(['shop-1.example', ...[11, 13, 15, 17, 19].map((n) => `shop-${n}.example`)])
    expect(made.map(({ textContent }) => textContent)).toContain('6 of 30')
    filter('')
    expect(column(0)).toHaveLength(30)
  })

  it('is the one that the policy of the page names, and the only one', () => {
    const rows = ROWS.map((cells) => ({ cells }))
    const html = htmlReport({
      title: 't',
      subtitle: '',
      facts: [],
      footer: '',
      parts: [{ kind: 'table', title: 'Hosts', columns: COLUMNS, rows }],
    })
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text)
    const hashes = scripts.map((text) => createHash('sha256').update(text).digest('base64'))

    expect(scripts).toEqual([TABLE_SCRIPT])
    expect(html).toContain(`script-src &#39;sha256-${hashes[0]}&#39;;`)
    expect(html.match(/<script/g)).toHaveLength(1)
  })
})
