// One URL: what became of it, what its visits brought, and which pages led to it.
import { Fragment, h } from 'preact'
import type { FieldDifference, PageVisitLine, PageVisits, VisitedItem, VisitedItems } from '../page-visits.ts'
import type { UrlPicture } from '../picture.ts'
import { foreign, givenUpActions, hostLink, nothing, pagesTable, panel, storyLines, urlLink, widePanel } from './pieces.ts'
import { partNamed, type Drawn, type Shown, type ViewScope } from './view-scope.ts'
import { count, countOf, momentText, visible } from './words.ts'

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

// What the visits of a page brought: the newest items, and visit by visit what changed.

/** Two for each request of the URL that was visited. */
function visitPanels(all: readonly PageVisits[], { now }: Pick<ViewScope, 'now'>): readonly Drawn[] {
  return all.flatMap((of) => {
    const name = all.length > 1 ? ` of ${visible(of.name)} (request ${of.requestId})` : ''
    const { latest } = of
    const brought = latest === null ? nothing('No visit brought an item.') : broughtItems(latest)
    return [
      panel(`Visits${name}`, visitList(of, now), h('span', { class: 'quiet' }, countOf(of.visits, 'visit'))),
      panel(latest === null ? `Items${name}` : `What visit ${count(latest.visit + 1)} brought${name}`, brought),
    ]
  })
}

function visitList({ lines, hasOlder, stamps }: PageVisits, now: number): Drawn {
  return h(Fragment, null, [
    h(
      'ol',
      { class: 'visits' },
      lines.map((line) => h('li', { key: keyOf(line), class: `is-${line.kind}` }, visitLine(line, now))),
    ),
    hasOlder ? h('p', { class: 'quiet' }, 'Older visits are not shown.') : null,
    stamps.length === 0
      ? null
      : h('p', { class: 'quiet' }, [
          'Not compared, for it is a later moment in each visit: ',
          ...stamps.flatMap((name, index) => [index > 0 ? ', ' : '', foreign(name)]),
        ]),
  ])
}

function keyOf(line: PageVisitLine): string {
  return line.kind === 'alike' ? `${line.first} to ${line.last}` : String(line.visit)
}

function visitLine(line: PageVisitLine, now: number): Shown {
  if (line.kind === 'alike') {
    const visits =
      line.first === line.last ? `Visit ${count(line.first + 1)}` : `Visits ${count(line.first + 1)} – ${count(line.last + 1)}`
    return h('p', { class: 'quiet' }, `${visits}: ${alikeText(line)}`)
  }
  const moment = line.moment === null ? 'when is not known' : momentText(line.moment, now)
  const head = h('p', null, [h('b', null, `Visit ${count(line.visit + 1)}`), h('span', { class: 'quiet' }, ` ${moment}`)])
  return line.kind === 'oldest' ? head : [head, changedItems(line)]
}

function alikeText({ same, barren }: PageVisitLine & { readonly kind: 'alike' }): string {
  if (same === 0) return 'no items'
  return barren === 0 ? 'no change' : `no change, ${count(barren)} of them without items`
}

function changedItems({ items, moreItems }: VisitedItems): Shown {
  return [...items.map(changedItem), moreItems > 0 ? h('p', { class: 'quiet' }, `and ${countOf(moreItems, 'more item')}`) : null]
}

const WORDS: Readonly<Record<VisitedItem['kind'], string>> = { new: 'new: ', gone: 'gone: ', changed: '' }

function changedItem(item: VisitedItem): Drawn {
  const { kind, ordinal, title, fields } = item
  const about = title === null ? visible(WORDS[kind]) : [WORDS[kind], foreign(title)]
  return h('div', { key: `${kind} ${ordinal}` }, [
    title === null && kind === 'changed' ? null : h('p', null, about),
    h(
      'dl',
      { class: 'facts is-changed' },
      fields.flatMap((field) => fieldRow(field, kind === 'changed')),
    ),
    moreFields(item),
  ])
}

/** `isChange`: what was before is told. */
function fieldRow({ path, before, after }: FieldDifference, isChange: boolean): readonly Drawn[] {
  const was = before === null ? null : isChange || after === null ? h('del', null, foreign(before)) : null
  const is = after === null ? null : h('ins', null, foreign(after))
  const arrow = was !== null && is !== null ? ' → ' : null
  const gone = isChange && after === null ? h('span', { class: 'quiet' }, ' gone') : null
  const added = isChange && before === null ? h('span', { class: 'quiet' }, ' new') : null
  return [
    h('dt', { key: path }, path === '' ? 'item' : foreign(path)),
    h('dd', { key: `${path} is` }, [was, arrow, is, gone, added]),
  ]
}

function broughtItems({ items, moreItems }: VisitedItems): Shown {
  return [
    ...items.map((item) =>
      h('div', { key: item.ordinal, class: 'brought' }, [
        item.title === null ? null : h('p', null, h('b', null, foreign(item.title))),
        h(
          'dl',
          { class: 'facts' },
          item.fields.flatMap(({ path, after }) => [
            h('dt', { key: path }, path === '' ? 'item' : foreign(path)),
            h('dd', { key: `${path} is` }, foreign(after ?? '')),
          ]),
        ),
        moreFields(item),
      ]),
    ),
    moreItems > 0 ? h('p', { class: 'quiet' }, `and ${countOf(moreItems, 'more item')}`) : null,
  ]
}

function moreFields({ more }: VisitedItem): Shown {
  return more > 0 ? h('p', { class: 'quiet' }, `and ${countOf(more, 'more field')}`) : null
}
