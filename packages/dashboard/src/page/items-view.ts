// Items as they come, the newest first, each with its page; and those that were refused.
import { h, Fragment } from 'preact'
import type { ItemLine, ItemsPicture, RejectLine } from '../picture.ts'
import { foreign, nothing, panel, urlLink } from './pieces.ts'
import { type Drawn, partNamed, type ViewScope } from './view-scope.ts'
import { count, countOf, visible } from './words.ts'

type Items = Omit<ItemsPicture, 'items'> & { readonly seqs: readonly number[] }

/** The view. */
export function ItemsView(scope: ViewScope): Drawn {
  const items = partNamed<Items>(scope, 'items')
  if (items === undefined) return nothing('Reading items …')
  const { seqs, count: all, rejects, rejectCount, rejectGroups } = items
  const lines = seqs.flatMap((seq) => partNamed<ItemLine>(scope, `item ${seq}`) ?? [])
  return h(Fragment, null, [
    panel(
      `Newest of ${countOf(all, 'item')}`,
      lines.length === 0
        ? nothing('No items yet.')
        : h(
            'ul',
            { class: 'cards' },
            lines.map((line) => card(line, scope)),
          ),
    ),
    rejectCount === 0
      ? null
      : panel(countOf(rejectCount, 'reject'), [
          h(
            'ul',
            { class: 'plain' },
            rejectGroups.map(({ source, reason, count: times }) =>
              h('li', { key: `${source} ${reason}` }, [
                h('b', null, count(times)),
                ' ',
                foreign(reason),
                h('span', { class: 'quiet' }, ` ${visible(source)}`),
              ]),
            ),
          ),
          h(
            'ul',
            { class: 'cards' },
            rejects.map((reject) => rejected(reject, scope)),
          ),
        ]),
  ])
}

function card({ seq, url, json }: ItemLine, scope: ViewScope): Drawn {
  return h('li', { key: seq }, [fields(json), h('p', { class: 'quiet' }, urlLink(url, scope))])
}

function rejected({ id, url, reason, json }: RejectLine, scope: ViewScope): Drawn {
  return h('li', { key: id, class: 'is-bad' }, [
    h('p', { class: 'bad' }, foreign(reason)),
    fields(json),
    h('p', { class: 'quiet' }, urlLink(url, scope)),
  ])
}

/** More fields, and longer values, are in the outputs. */
const MAX_FIELDS = 12
const MAX_VALUE = 300

function fields(json: string): Drawn {
  const entries = entriesOf(json).slice(0, MAX_FIELDS)
  return h(
    'dl',
    { class: 'facts' },
    entries.flatMap(([name, value]) => [
      h('dt', { key: name }, foreign(name.slice(0, MAX_VALUE))),
      h('dd', { key: `${name} is` }, foreign(short(value))),
    ]),
  )
}

/** An item that was cut, or is no object, is shown as it is. */
function entriesOf(json: string): readonly (readonly [string, unknown])[] {
  try {
    const item = JSON.parse(json) as unknown
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) return Object.entries(item)
  } catch {
    // Cut.
  }
  return [['item', json]]
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
