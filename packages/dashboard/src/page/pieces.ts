// Small pieces that several views are made of.
import { h } from 'preact'
import type { WhichPages } from '../crawl-source.ts'
import type { HoldLine, HostLine, PageLine } from '../picture.ts'
import { addressOf } from './route.ts'
import { offers, type Drawn, type Shown, type ViewScope } from './view-scope.ts'
import { count, durationText, safeAddress, visible } from './words.ts'

/** A part of a view, under a heading of its own. */
export function panel(title: string, content: Shown, aside: Shown = null): Drawn {
  return panelOf('panel', { title, content, aside })
}

/** The same, over the whole width. */
export function widePanel(title: string, content: Shown, aside: Shown = null): Drawn {
  return panelOf('panel is-across', { title, content, aside })
}

function panelOf(
  kind: string,
  { title, content, aside }: { readonly title: string; readonly content: Shown; readonly aside: Shown },
): Drawn {
  const id = `panel-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
  return h(
    'section',
    { class: kind, 'aria-labelledby': id },
    h('header', null, h('h2', { id }, title), aside),
    h('div', { class: 'panel-body' }, content),
  )
}

/** A number with its name. */
export function figure(name: string, value: string, note: string = ''): Drawn {
  return h(
    'div',
    { class: 'figure' },
    h('dt', null, visible(name)),
    h('dd', null, visible(value), h('small', null, visible(note))),
  )
}

/** Somebody else's text. */
export function foreign(text: string): Drawn {
  return h('bdi', null, visible(text))
}

/** The address of a page of the crawl: leads to what is known of it, and beside that to the page itself, if it can be opened. */
export function urlLink(url: string, { route }: Pick<ViewScope, 'route'>): Drawn {
  const address = safeAddress(url)
  return h(
    'span',
    { class: 'url' },
    h('a', { href: addressOf({ view: 'url', crawl: route.crawl, key: url }) }, foreign(url)),
    address === undefined
      ? null
      : h('a', { class: 'out', href: address, target: '_blank', rel: 'noreferrer noopener', title: 'Open the page itself' }, [
          h('span', { 'aria-hidden': 'true' }, '↗'),
          h('span', { class: 'unseen' }, `open ${visible(url)}`),
        ]),
  )
}

/** Leads to what is known of a host. */
export function hostLink(hostKey: string, { route }: Pick<ViewScope, 'route'>): Drawn {
  return h('a', { class: 'host', href: addressOf({ view: 'host', crawl: route.crawl, key: hostKey }) }, foreign(hostKey))
}

/** The state of a host, in a colour and a word. */
export function stateChip(state: HostLine['state']): Drawn {
  return h('span', { class: `chip is-${state.replace(' ', '-')}` }, state)
}

/** Who holds what is paused by an order: it goes on when it is resumed. */
export const ORDERED_BY = 'operator'

/** Until when, by whose word, and why. */
export function holdText(hold: HoldLine | null, now: number): Shown {
  if (hold === null) return ''
  const when =
    hold.until === null
      ? hold.by === ORDERED_BY
        ? 'until resumed '
        : ''
      : hold.until > now
        ? `${durationText(hold.until - now)} `
        : ''
  return [h('span', { class: 'when' }, when), foreign(hold.why), h('span', { class: 'quiet' }, ` ${visible(hold.by)}`)]
}

/** What a view says while it has nothing to show. */
export function nothing(text: string): Drawn {
  return h('p', { class: 'nothing' }, text)
}

const PAGE_HEADS = [
  ['Page', ''],
  ['State', 'is-extra'],
  ['Reason', ''],
  ['Attempts', 'number is-extra'],
] as const

/** Pages in a table; `end`: what stands behind each. */
export function pagesTable(label: string, pages: readonly PageLine[], scope: ViewScope, end?: (page: PageLine) => Shown): Drawn {
  return h(
    'table',
    { 'aria-label': label },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        PAGE_HEADS.map(([name, kind]) => h('th', { scope: 'col', class: kind }, name)),
        end && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Action')),
      ),
    ),
    h(
      'tbody',
      null,
      pages.map((page) =>
        h('tr', { key: page.id }, [
          h('td', { class: 'wide' }, urlLink(page.url, scope)),
          h('td', { class: 'is-extra' }, page.state),
          h('td', null, page.reason === null ? '' : foreign(page.reason)),
          h('td', { class: 'number is-extra' }, count(page.attempts)),
          end && h('td', { class: 'end' }, end(page)),
        ]),
      ),
    ),
  )
}

/** Lines as the terminal has them. */
export function storyLines(lines: readonly string[]): Drawn {
  return h(
    'pre',
    { class: 'story', tabIndex: 0, 'aria-label': 'The whole story' },
    lines.map((line) => `${visible(line)}\n`).join(''),
  )
}

// What can be done with given-up pages: retry them, or drop them. Only what the crawl offers has a button.

/** Which pages, and how the buttons are called. */
interface GivenUp {
  readonly which: WhichPages
  /** After the verb: what the button says, and what a screen reader says. */
  readonly words?: string
  readonly label?: string
  /** None of them can be dropped. */
  readonly isDropped: boolean
  readonly isSmall?: boolean
}

const VERBS = { reopen: 'Retry', drop: 'Drop' } as const

/** The buttons; none where nothing can be done. */
export function givenUpActions(
  { which, words = '', label, isDropped, isSmall = false }: GivenUp,
  scope: ViewScope,
): readonly Drawn[] {
  return (['reopen', 'drop'] as const)
    .filter((kind) => offers(scope, kind) && !(isDropped && kind === 'drop'))
    .map((kind) =>
      h(
        'button',
        {
          key: kind,
          onClick: () => scope.act({ kind, ...which }),
          ...(isSmall && { class: 'small' }),
          ...(label !== undefined && { 'aria-label': `${VERBS[kind]} ${label}` }),
        },
        `${VERBS[kind]}${words}`,
      ),
    )
}
