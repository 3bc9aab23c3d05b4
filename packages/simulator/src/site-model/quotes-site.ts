// Quotes with author and tags, some a page: `/`, then `/page/2` and so on behind "Next".
import { pick } from '../seeded.ts'
import { extraDraft, extraLinks } from './extras.ts'
import type { PagesSpec } from './host-spec.ts'
import { anchor, escaped, htmlPage, words } from './html.ts'
import type { Draft, Ground, Site, SiteQuote } from './site.ts'

type QuotesSpec = Extract<PagesSpec, { kind: 'quotes' }>

// Signs that HTML escapes, and letters beyond ASCII, are here on purpose.
const AUTHORS = ['Ida Reed', 'Tom & Jerry Marsh', 'Søren Vade', 'Élodie Grue', 'R. <Bob> Plover', 'Ann "Stilt" Lee']
const TAGS = ['water', 'patience', 'wind', 'shore', 'light', 'home']

/** Builds the site. */
export function quotesSite(spec: QuotesSpec, ground: Ground): Site {
  const { perPage = 10 } = spec
  const pages = Math.max(1, Math.ceil(spec.quotes / perPage))
  const paths = Array.from({ length: pages }, (_, n) => pathOf(n + 1))
  const quotes = Array.from({ length: spec.quotes }, (_, n) => quoteOf(n, ground))
  return {
    seeds: ['/'],
    paths: () => paths,
    products: () => [],
    quotes: () => quotes,
    draft(path) {
      const page = paths.indexOf(path) + 1
      if (page === 0) return extraDraft(path, spec.extras, { ground, paths })
      return quotesPage({ page, pages, quotes: quotes.slice((page - 1) * perPage, page * perPage), spec })
    },
  }
}

function quotesPage(list: { page: number; pages: number; quotes: readonly SiteQuote[]; spec: QuotesSpec }): Draft {
  const { page, pages, quotes, spec } = list
  const blocks = quotes.map(({ text, author, tags }) => {
    const marks = tags.map((tag) => `<span class="tag">${escaped(tag)}</span>`).join(' ')
    return `<div class="quote"><span class="text">${escaped(text)}</span> by <small class="author">${escaped(author)}</small>\n<div class="tags">${marks}</div></div>`
  })
  const previous = page > 1 ? `<li class="previous">${anchor(pathOf(page - 1), 'Previous')}</li>` : ''
  const next = page < pages ? `<li class="next">${anchor(pathOf(page + 1), 'Next')}</li>` : ''
  const extras = page === 1 ? extraLinks(spec.extras) : ''
  return htmlPage(`Quotes, page ${String(page)}`, `${blocks.join('\n')}\n<ul class="pager">${previous}${next}</ul>\n${extras}`)
}

function quoteOf(n: number, ground: Ground): SiteQuote {
  const chance = ground.chance(`quote ${String(n)}`)
  const tags = TAGS.filter((_, tag) => chance(100 + tag) < 0.4)
  return { text: `No. ${String(n + 1)}: ${words(chance, 0, 8)}.`, author: pick(AUTHORS, chance, 99), tags }
}

function pathOf(page: number): string {
  return page === 1 ? '/' : `/page/${String(page)}`
}
