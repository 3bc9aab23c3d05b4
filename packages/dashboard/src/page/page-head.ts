// The head of the page: which crawl, what it is doing, its views, and what can be done to it.
import { h } from 'preact'
import type { CrawlHead } from '../picture.ts'
import type { ViewName } from '../view-wish.ts'
import type { StreamState } from './page-stream.ts'
import { foreign } from './pieces.ts'
import { addressOf } from './route.ts'
import { type Drawn, offers, partNamed, phaseInWords, type ViewScope } from './view-scope.ts'
import { day } from './words.ts'

/** What the head can ask for beside its links. */
export interface HeadWish {
  readonly scope: ViewScope
  readonly state: StreamState['state']
  stop(): void
  add(): void
}

const TABS: readonly (readonly [ViewName, string, readonly ViewName[]])[] = [
  ['now', 'Now', []],
  ['hosts', 'Hosts', ['host', 'politeness']],
  ['items', 'Items', []],
  ['failures', 'Failed', []],
]

/** The head. */
export function PageHead({ scope, state, stop, add }: HeadWish): Drawn {
  const head = partNamed<Omit<CrawlHead, 'at'>>(scope, 'head')
  const { view, crawl } = scope.route
  const tab = ([name, words, others]: (typeof TABS)[number]): Drawn =>
    h(
      'a',
      {
        key: name,
        href: addressOf({ view: name, crawl }),
        ...((name === view || others.includes(view)) && { 'aria-current': 'page' as const }),
      },
      words,
    )
  return h('header', { class: 'page-head' }, [
    h('a', { class: 'skip', href: '#main', onClick: skip }, 'To the content'),
    h('div', { class: 'bar' }, [
      h('a', { class: 'brand', href: '#/' }, 'Avocet'),
      h('h1', null, view === 'crawls' ? 'Crawls' : foreign(head?.name ?? crawl)),
      head === undefined || view === 'crawls' || state === 'over'
        ? null
        : h('span', { class: `chip is-${head.phase}` }, foreign(phaseInWords({ ...head, at: scope.now }))),
      state === 'open'
        ? null
        : h(
            'span',
            { class: 'chip is-lost' },
            { connecting: 'connecting', lost: 'connection lost', over: 'the command has ended', file: `as of ${day(scope.now)}` }[
              state
            ],
          ),
      h('div', { class: 'actions' }, buttons({ scope, state, stop, add })),
    ]),
    view === 'crawls' ? null : h('nav', { 'aria-label': 'Views' }, TABS.map(tab)),
  ])
}

function buttons({ scope, state, stop, add }: HeadWish): readonly Drawn[] {
  if (scope.route.view === 'crawls' || state !== 'open') return []
  return [
    // One button, which keeps the focus: who pauses may want to resume.
    ...(['pause', 'resume'] as const)
      .filter((kind) => offers(scope, kind))
      .map((kind) =>
        h(
          'button',
          { key: 'pause', class: kind === 'resume' ? 'is-primary' : '', onClick: () => scope.act({ kind }) },
          kind === 'resume' ? 'Resume' : 'Pause',
        ),
      ),
    ...(offers(scope, 'add') ? [h('button', { key: 'add', onClick: add }, 'Add URLs')] : []),
    ...(offers(scope, 'stop') ? [h('button', { key: 'stop', onClick: stop }, 'Stop')] : []),
  ]
}

/** The address says which view it is, so it cannot say where the focus is. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
