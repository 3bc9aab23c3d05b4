// How one host was treated, for its owner; a file with this view alone can be saved and sent.
import { h, Fragment } from 'preact'
import type { PolitenessSheet, SheetText } from '../picture.ts'
import { figure, foreign, nothing, panel } from './pieces.ts'
import { type Drawn, partNamed, type ViewScope, type Shown } from './view-scope.ts'

/** The view. */
export function PolitenessView(scope: ViewScope): Drawn {
  const sheet = partNamed<PolitenessSheet>(scope, 'sheet')
  if (partNamed(scope, 'missing') !== undefined) return nothing('The crawl does not know this host.')
  if (sheet === undefined) return nothing('Reading the journal …')
  const { crawl, key } = scope.route
  const file = `/politeness?${new URLSearchParams({ crawl, host: key }).toString()}`
  return h(Fragment, null, [
    h('div', { class: 'title' }, [
      h('h2', null, foreign(sheet.title)),
      scope.isOver ? null : h('div', { class: 'actions' }, h('a', { class: 'button', href: file }, 'Save to send')),
    ]),
    h('p', { class: 'quiet' }, foreign(sheet.subtitle)),
    ...sheet.sentences.map((text) => h('p', null, sentence(text))),
    h(
      'dl',
      { class: 'figures' },
      sheet.facts.map(({ name, value, note }) => figure(name, value, note ?? '')),
    ),
    ...sheet.tables.map(table),
    h('p', { class: 'quiet' }, sentence(sheet.footer)),
  ])
}

function sentence(text: SheetText): Shown {
  return [text].flat().map((piece) => {
    if (typeof piece === 'string') return foreign(piece)
    return 'code' in piece
      ? h('code', null, foreign(piece.code))
      : h('a', { href: piece.href, rel: 'noreferrer noopener' }, foreign(piece.text))
  })
}

function table({ title, columns, rows }: PolitenessSheet['tables'][number]): Drawn {
  return panel(
    title,
    h('table', { 'aria-label': title }, [
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map(({ cells, isBad }, n) =>
          h(
            'tr',
            { key: n, class: isBad ? 'is-bad' : '' },
            cells.map((cell) => h('td', null, foreign(cell))),
          ),
        ),
      ),
    ]),
  )
}
