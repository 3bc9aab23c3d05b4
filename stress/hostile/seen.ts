// The result of each row in a crawl of a hostile web, as hooks and handlers see it; and the spider that crawls it.
import { link, type Crawl, type Page, type Spider } from '@avocet/core'
import type { HostileRow } from './hostile-row.ts'
import { ZONE, type HostilePlan } from './hostile-web.ts'

/** The result of one row. Plain JSON. */
export interface HostileSeen {
  /** Why exchanges ended without a page, and how often: codes, statuses as `http-503`, reasons. */
  readonly ends: Readonly<Record<string, number>>
  /** Titles of the pages that a handler got, by path: the first thousand. */
  readonly pages: Readonly<Record<string, string>>
  readonly pageCount: number
  /** Links on the first page that a handler got. */
  readonly links?: number
  /** URLs that its pages added to the store. */
  readonly known: number
  /** Requests that were settled as failed. */
  readonly failed: number
}

const MOST_TITLES = 1_000
const TITLE_CHARACTERS = 200

interface Open {
  readonly ends: Map<string, number>
  readonly pages: Map<string, string>
  pageCount: number
  links: number | undefined
  known: number
  failed: number
}

/** Watches a crawl of `plan`. Make the spider with it, then the crawl, then have it watched. */
export class HostileWatch {
  readonly #plan: HostilePlan
  readonly #handlers: ReadonlyMap<string, NonNullable<HostileRow['handler']>>
  readonly #rows = new Map<string, Open>()
  readonly #byHost = new Map<string, string>()
  /** Hosts elsewhere that rows lead to. */
  readonly #ledTo = new Map<string, Set<string>>()

  constructor(plan: HostilePlan, rows: readonly HostileRow[]) {
    this.#plan = plan
    this.#handlers = new Map(rows.map(({ name, handler = 'start' }) => [name, handler]))
    for (const { row, origin } of plan.places) {
      this.#rows.set(row, { ends: new Map(), pages: new Map(), pageCount: 0, links: undefined, known: 0, failed: 0 })
      this.#byHost.set(new URL(origin).host, row)
    }
  }

  /** The spider: requests all seeds of the plan, and `more`; follows every link and refresh, wherever it leads. */
  spider(more: readonly string[] = []): Spider {
    const note = (page: Page): void => this.#had(page)
    const seeds = this.#plan.places.flatMap(({ row, seeds: urls }) =>
      urls.map((url) => ({ url, handler: this.#handlers.get(row) ?? 'start' })),
    )
    return {
      name: 'hostile',
      seeds: [...more.map((url) => ({ url, handler: 'start' })), ...seeds],
      scope: { within: 'any' },
      handlers: {
        *start(page) {
          note(page)
          yield { url: page.url.href, title: page.title.slice(0, TITLE_CHARACTERS) }
          yield* page.links()
          if (page.refresh !== undefined) yield link(page.refresh.url)
        },
        *hrefs(page) {
          note(page)
          for (const [, href = ''] of page.body.matchAll(/href="([^"]*)"/g)) yield link(href)
        },
        *dom(page) {
          note(page)
          yield { url: page.url.href, links: page.$('a').length, text: page.text().length }
        },
      },
    }
  }

  watch({ hooks }: Pick<Crawl, 'hooks'>): void {
    hooks.onError.tap({ name: 'hostile', seesRequired: true }, ({ exchange, failure }) => {
      const { url } = exchange.request
      this.#ended(url, failure.code)
      if (!exchange.required) return
      // The path of a robots.txt has no row's name: the page that leads to its host has failed with it, and the host whose robots.txt is elsewhere.
      const { host } = new URL(url)
      const owner = this.#byHost.get(exchange.host.key)
      if (owner !== undefined && owner !== this.#byHost.get(host)) count(this.#rows.get(owner)?.ends, failure.code)
      for (const row of this.#ledTo.get(host) ?? []) count(this.#rows.get(row)?.ends, failure.code)
    })
    hooks.onResponse.tap('hostile', ({ exchange, response: { status } }) => {
      if (status >= 400 || status === 304) this.#ended(exchange.request.url, `http-${String(status)}`)
    })
    hooks.onDiscover.tap('hostile', ({ url, from }) => this.#leads(url, from?.url))
    hooks.onSettled.tap('hostile', ({ request, outcome, added }) => {
      const row = this.#of(request.url)
      if (row === undefined) return
      row.known += added
      if (outcome.kind !== 'failed') return
      row.failed += 1
      count(row.ends, outcome.reason)
    })
  }

  /** By name of the row. */
  get seen(): Readonly<Record<string, HostileSeen>> {
    return Object.fromEntries(
      [...this.#rows].map(([name, { ends, pages, links, ...counts }]) => [
        name,
        { ...counts, ends: Object.fromEntries(ends), pages: Object.fromEntries(pages), ...(links !== undefined && { links }) },
      ]),
    )
  }

  /** Name of the row that `url` is of: by its host, by a name above it, or by its path where it leads elsewhere. */
  rowOf(url: string): string | undefined {
    const { host, hostname, pathname } = new URL(url)
    const known = this.#byHost.get(host)
    if (known !== undefined) return known
    if (hostname.endsWith(`.${ZONE}`)) {
      const row =
        hostname
          .slice(0, -ZONE.length - 1)
          .split('.')
          .at(-1) ?? ''
      if (this.#rows.has(row)) return row
    }
    const row = pathname.split('/', 2)[1] ?? ''
    return this.#rows.has(row) ? row : undefined
  }

  /** Asked of each link, so nothing is parsed of those that stay on hosts of the web. */
  #leads(url: string, from: string | undefined): void {
    const start = url.indexOf('//') + 2
    const host = url.slice(start, url.indexOf('/', start))
    if (this.#byHost.has(host)) return
    const row = this.rowOf(url) ?? (from === undefined ? undefined : this.rowOf(from))
    if (row === undefined) return
    const rows = this.#ledTo.get(host) ?? new Set()
    this.#ledTo.set(host, rows.add(row))
  }

  #of(url: string): Open | undefined {
    return this.#rows.get(this.rowOf(url) ?? '')
  }

  #ended(url: string, end: string): void {
    count(this.#of(url)?.ends, end)
  }

  #had(page: Page): void {
    const row = this.#of(page.request.url)
    if (row === undefined) return
    row.pageCount += 1
    row.links ??= page.anchors.length
    const { pathname, search } = page.url
    if (row.pages.size < MOST_TITLES) row.pages.set(pathname + search, page.title.slice(0, TITLE_CHARACTERS))
  }
}

function count(ends: Map<string, number> | undefined, end: string): void {
  ends?.set(end, (ends.get(end) ?? 0) + 1)
}
