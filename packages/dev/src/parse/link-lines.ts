// What `avocet parse` says beside the items: how many there are, and on a terminal a table of the links.
import { column, columnsOf, fold, type Paint, printable, formatCount, formatCountOf } from '@avocet/project/text'
import type { FoundLink, HandledPage } from './handled-page.ts'

const LINKS = 20
const MOST_HANDLER_COLUMNS = 16
const MOST_ANCHOR_COLUMNS = 30

/** How it is to be shown. `columns`: of the terminal; undefined where there is none, which gets no table. */
export interface LinkScreen {
  readonly limit: number | undefined
  readonly columns: number | undefined
  readonly paint: Paint
}

/** Lines, ready to be printed. */
export function linkLines(found: HandledPage, { limit = LINKS, columns, paint }: LinkScreen): string[] {
  const { items, links } = found
  const shown = columns === undefined ? [] : links.slice(0, limit)
  const more = links.length - shown.length
  const counts = fold(countsOf(found), columns ?? Infinity).map((line) => paint('quiet', line))
  if (columns === undefined || shown.length === 0) return counts
  return [
    ...(items.length === 0 ? [] : ['']),
    ...table(shown, columns, paint),
    ...(more === 0
      ? []
      : [
          paint(
            'quiet',
            `… and ${formatCountOf(more, 'more', 'more')}: --limit ${formatCount(links.length).replaceAll(',', '')}`,
          ),
        ]),
    ...counts,
  ]
}

function countsOf({ items, links, yielded, dropped, rejects }: HandledPage): string {
  const others = yielded - links.length
  const notes = [
    ...(dropped === 0 ? [] : [`${formatCountOf(dropped, 'item')} dropped by plugins`]),
    ...(rejects.length === 0 ? [] : [`${formatCountOf(rejects.length, 'item')} refused by the schema`]),
    ...(others <= 0 ? [] : [`${formatCount(others)} repeated or unusable left out`]),
  ]
  const counts = `${formatCountOf(items.length, 'item')}, ${formatCountOf(links.length, 'link')}`
  return notes.length === 0 ? counts : `${counts}: ${notes.join(', ')}`
}

function table(links: readonly FoundLink[], columns: number, paint: Paint): string[] {
  const handlerColumns = widest(links.map(({ handler }) => handler), 'handler', MOST_HANDLER_COLUMNS) // prettier-ignore
  const anchors = links.map(({ anchor = '' }) => printable(anchor))
  const anchorColumns = Math.min(widest(anchors, 'anchor', MOST_ANCHOR_COLUMNS), Math.max(6, Math.floor(columns / 3)))
  const urlRoom = Math.max(20, columns - handlerColumns - anchorColumns - 4)
  const urlColumns = widest(links.map(({ url }) => url), 'url', urlRoom) // prettier-ignore
  const row = (handler: string, url: string, anchor: string): string =>
    `${column(handler, handlerColumns)}  ${column(url, urlColumns)}  ${column(anchor, anchorColumns)}`.trimEnd()
  return [
    paint('title', row('handler', 'url', 'anchor')),
    ...links.map(({ handler, url }, index) => row(printable(handler), printable(url), anchors[index] ?? '')),
  ]
}

function widest(texts: readonly string[], title: string, most: number): number {
  return Math.min(most, Math.max(columnsOf(title), ...texts.map(columnsOf)))
}
