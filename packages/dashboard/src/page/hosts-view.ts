// All hosts of a crawl in one table, of which only the rows on the screen exist: searched, sorted and filtered where the hosts are.
//
// Rows have one height, so that the place of the scroll bar says which they are; a row above and one below stand for all others. While rows are on their way
// their places are empty, and nothing moves when they come.
import { h, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { HOST_SORTS, HOST_STATES, type HostLine, type HostLines, type HostSort } from '../picture.ts'
import { laterOn } from './clock.ts'
import { foreign, hostLink, holdText, nothing, stateChip } from './pieces.ts'
import { type Drawn, partNamed, type ViewScope } from './view-scope.ts'
import { count, countOf, rateText } from './words.ts'

/** Height of a row by that of a letter: it grows with them on a large screen. */
const ROW_EM = 34 / 14
/** Rows beyond the screen, so that a short scroll finds them there. */
const BEYOND = 12
/** So long nobody types between two letters. */
const TYPED_MS = 150
/** Browsers place nothing further down than about 17 million px; beyond it the table says that it goes on. */
const MAX_ROWS = 400_000

type Known = Omit<HostLines, 'rows'> & { readonly keys: readonly string[] }

const SORT_NAMES: Readonly<Record<HostSort, string>> = {
  trouble: 'trouble first',
  name: 'name',
  waiting: 'most waiting',
  done: 'most done',
  failed: 'most failed',
  retried: 'most retried',
}
/** The view. */
export function HostsView(scope: ViewScope): Drawn {
  const hosts = partNamed<Known>(scope, 'hosts')
  return h(Fragment, null, [
    h(Filters, { key: 'filters', ...scope }),
    hosts === undefined ? nothing('Reading hosts …') : h(Table, { key: 'table', ...scope }),
  ])
}

function Filters(scope: ViewScope): Drawn {
  const { route, filter } = scope
  const forget = useRef<() => void>(() => undefined)
  const hosts = partNamed<Known>(scope, 'hosts')
  const typed = (event: Event): void => {
    const search = (event.currentTarget as HTMLInputElement).value
    forget.current()
    forget.current = laterOn(TYPED_MS, () => filter({ search }))
  }
  const input = { type: 'search', placeholder: 'Find hosts', defaultValue: route.search }
  return h('div', { class: 'filters', role: 'search' }, [
    h('label', null, h('span', { class: 'unseen' }, 'Find hosts'), h('input', { ...input, onInput: typed })),
    select('State', { names: { all: 'all states' }, all: HOST_STATES, value: route.state }, (state) => filter({ state })),
    select('Sort by', { names: SORT_NAMES, all: HOST_SORTS, value: route.sort }, (sort) => filter({ sort })),
    h('p', { class: 'quiet' }, hosts === undefined ? '' : said(hosts)),
  ])
}

function said({ total, matching, indexed }: Known): string {
  const read = indexed < total ? ` · ${count(indexed)} read so far` : ''
  return `${matching === total ? countOf(total, 'host') : `${count(matching)} of ${countOf(total, 'host')}`}${read}`
}

/** Whole px, so that rows and what stands for others add up. */
function rowHeight(): number {
  return Math.round(ROW_EM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
}

interface Choice<Word extends string> {
  readonly names: Readonly<Partial<Record<Word, string>>>
  readonly all: readonly Word[]
  readonly value: Word
}

function select<Word extends string>(label: string, { names, all, value }: Choice<Word>, chosen: (word: Word) => void): Drawn {
  const onChange = (event: Event): void => chosen((event.currentTarget as HTMLSelectElement).value as Word)
  const options = all.map((word) => h('option', { value: word, selected: word === value }, names[word] ?? word))
  return h('label', null, h('span', { class: 'unseen' }, label), h('select', { onChange }, options))
}

function Table(scope: ViewScope): Drawn {
  const place = useRef<HTMLDivElement>(null)
  const { from, matching, keys } = partNamed<Known>(scope, 'hosts') ?? { from: 0, matching: 0, keys: [] }
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 600 } = place.current ?? {}
    const each = rowHeight()
    scope.shows(Math.max(0, Math.floor(scrollTop / each) - BEYOND), Math.ceil(clientHeight / each) + 2 * BEYOND)
  }
  useEffect(() => {
    look()
    const resized = new ResizeObserver(look)
    if (place.current) resized.observe(place.current)
    return () => resized.disconnect()
  }, [])
  // Another search begins at its top.
  useEffect(() => {
    if (place.current) place.current.scrollTop = 0
  }, [scope.route.search, scope.route.sort, scope.route.state])
  const shown = Math.min(matching, MAX_ROWS)
  const rows = keys.map((key, n) => row(from + n, partNamed<HostLine>(scope, `row ${key}`), scope))
  return h(
    'div',
    {
      ...{ class: 'scroll', ref: place, onScroll: look, style: { '--row': `${rowHeight()}px` } },
      ...{ tabIndex: 0, role: 'region', 'aria-label': 'Table of hosts' },
    },
    [
      h('table', { class: 'hosts', 'aria-label': 'Hosts', 'aria-rowcount': matching + 1 }, [
        h(
          'thead',
          null,
          h(
            'tr',
            { 'aria-rowindex': 1 },
            HEADS.map(([name, kind]) => h('th', { scope: 'col', class: kind }, name)),
          ),
        ),
        h('tbody', null, [space('above', from), ...rows, space('below', shown - from - keys.length)]),
      ]),
      matching === 0 ? nothing('No matching hosts.') : null,
    ],
  )
}

const HEADS = [
  ['Host', 'is-name'],
  ['State', 'is-state'],
  ['Found/s', 'is-number is-wide'],
  ['Waiting', 'is-number'],
  ['Done', 'is-number is-wide'],
  ['Failed', 'is-number is-wide'],
  ['Why', 'is-hold'],
] as const

function space(key: string, rows: number): Drawn | null {
  return rows <= 0
    ? null
    : h('tr', { key, 'aria-hidden': 'true', class: 'space', style: { height: `${rows * rowHeight()}px` } }, h('td', null))
}

function row(index: number, line: HostLine | undefined, scope: ViewScope): Drawn {
  if (line === undefined) return h('tr', { key: `none ${index}` }, h('td', null))
  const { hostKey, state, why, foundRps, waiting, done, failed, hold } = line
  const cells = [
    hostLink(hostKey, scope),
    stateChip(state),
    foundRps === null ? '' : rateText(foundRps),
    count(waiting),
    count(done),
    failed === 0 ? '' : h('span', { class: 'bad' }, count(failed)),
    // Shorter waits are those of a pace: they would flicker.
    hold === null || (hold.until !== null && hold.until < scope.now + 1_000) ? foreign(why) : holdText(hold, scope.now),
  ]
  return h(
    'tr',
    { key: hostKey, 'aria-rowindex': index + 2 },
    cells.map((cell, n) => h('td', { class: HEADS[n]?.[1] ?? '' }, cell)),
  )
}
