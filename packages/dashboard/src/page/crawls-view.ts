// All crawls of a folder, or of those that were named.
import { h } from 'preact'
import type { CrawlLine } from '../picture.ts'
import { foreign, nothing } from './pieces.ts'
import { addressOf } from './route.ts'
import { type Drawn, partNamed, phaseInWords, type ViewScope } from './view-scope.ts'
import { count } from './words.ts'

/** The view. */
export function CrawlsView(scope: ViewScope): Drawn {
  const all = partNamed<readonly CrawlLine[]>(scope, 'crawls')
  if (all === undefined) return nothing('Looking for crawls …')
  if (all.length === 0) return nothing('There is no crawl here.')
  return h(
    'ul',
    { class: 'crawls' },
    all.map((line) => card(line, scope)),
  )
}

function card(line: CrawlLine, { isOver }: ViewScope): Drawn {
  const { id, name, store, phase, known, done, failed, waiting, items, hosts, error } = line
  const width = (value: number): string => `${known === 0 ? 0 : (100 * value) / known}%`
  const content =
    error === null
      ? [
          h('div', { class: 'progress', role: 'img', 'aria-label': `${count(done)} of ${count(known)} done` }, [
            h('i', { class: 'is-good', style: { width: width(known - waiting - failed) } }),
            h('i', { class: 'is-failed', style: { width: width(failed) } }),
          ]),
          h(
            'p',
            null,
            `${count(done)} done · ${count(waiting)} waiting · ${count(failed)} failed · ${count(items)} items · ${count(hosts)} hosts`,
          ),
        ]
      : [h('p', { class: 'bad' }, foreign(error))]
  return h('li', { key: id, class: 'panel' }, [
    h('header', null, [
      h('h2', null, h('a', { href: addressOf({ view: 'now', crawl: id }) }, foreign(name))),
      isOver
        ? h('span', { class: 'chip' }, 'The command has ended')
        : h('span', { class: `chip is-${phase}` }, phaseInWords({ phase, pausedFor: null, idleUntil: null, at: 0 })),
    ]),
    h('div', { class: 'panel-body' }, [...content, h('p', { class: 'quiet' }, foreign(store))]),
  ])
}
