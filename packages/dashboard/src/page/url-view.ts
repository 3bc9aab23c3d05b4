// One URL: what became of it, what its visits brought, and which pages led to it.
import { h, Fragment } from 'preact'
import type { PageVisits } from '../page-visits.ts'
import type { UrlPicture } from '../picture.ts'
import { givenUpActions } from './given-up-actions.ts'
import { foreign, hostLink, nothing, pagesTable, panel, widePanel, storyLines, urlLink } from './pieces.ts'
import { type Drawn, partNamed, type ViewScope } from './view-scope.ts'
import { visitPanels } from './visit-panels.ts'
import { countOf } from './words.ts'

type Found = Omit<UrlPicture, 'visits'>

/** The view. */
export function UrlView(scope: ViewScope): Drawn {
  const found = partNamed<Found>(scope, 'url')
  if (found === undefined) return nothing('Reading the page …')
  const { url, hostKey, story, requests, parents } = found
  const failed = requests.filter(({ state }) => state === 'failed')
  const isDropped = !failed.some(({ canBeDropped }) => canBeDropped)
  return h(Fragment, null, [
    h('div', { class: 'title' }, [
      h('h2', { class: 'is-url' }, urlLink(url, scope)),
      h('div', { class: 'actions' }, failed.length > 0 ? givenUpActions({ which: { url }, isDropped }, scope) : null),
    ]),
    h('p', { class: 'quiet' }, hostKey === null ? 'Its host is not known.' : ['at ', hostLink(hostKey, scope)]),
    h('div', { class: 'columns' }, [
      panel(
        'Requests of this URL',
        requests.length === 0 ? nothing('It is not in the store.') : pagesTable('Requests of this URL', requests, scope),
      ),
      panel('How the crawl came to it', chain(found, scope)),
      ...visitPanels(partNamed<readonly PageVisits[]>(scope, 'visits') ?? [], scope),
      widePanel('The whole story', storyLines(story)),
    ]),
    parents.length === 0 ? null : h('p', { class: 'unseen' }, `${countOf(parents.length, 'page')} led to it`),
  ])
}

function chain({ parents }: Found, scope: ViewScope): Drawn {
  if (parents.length === 0) return nothing('It is a seed, or no page is known that led to it.')
  return h(
    'ol',
    { class: 'chain' },
    parents.map(({ url, anchorText }) =>
      h('li', { key: url }, [
        urlLink(url, scope),
        anchorText === null || anchorText === '' ? null : h('p', { class: 'quiet' }, ['by the link “', foreign(anchorText), '”']),
      ]),
    ),
  )
}
