// What a page wants to see: one view, and of a long table the rows that are on the screen. Nothing else is computed or sent.
import { HOST_SORTS, HOST_STATES, type HostSort, type HostState } from './picture.ts'

/** Views by name. */
export const VIEWS = ['crawls', 'now', 'hosts', 'host', 'url', 'items', 'failures', 'politeness'] as const

/** One of them. */
export type ViewName = (typeof VIEWS)[number]

/** The wish. What a view has no use for is ignored. */
export interface ViewWish {
  readonly view: ViewName
  /** Which crawl; empty in `crawls`. */
  readonly crawl: string
  /** The host, or the URL. */
  readonly key: string
  /** Part of the names of hosts. */
  readonly search: string
  readonly sort: HostSort
  readonly state: HostState
  /** The first row on the screen, and how many there are. */
  readonly from: number
  readonly count: number
}

/** Of a page that has not said. */
export const FIRST_WISH: ViewWish = {
  view: 'crawls',
  crawl: '',
  key: '',
  search: '',
  sort: 'trouble',
  state: 'all',
  from: 0,
  count: 40,
}

/** More rows fit on no screen. */
const MAX_ROWS = 200
/** No URL of a crawl is longer. */
const MAX_TEXT = 8_192

/** Reads what a page sent; what makes no sense is as in `FIRST_WISH`. */
export function readWish(said: unknown): ViewWish {
  const { view, crawl, key, search, sort, state, from, count } = (typeof said === 'object' && said !== null ? said : {}) as {
    readonly [Name in keyof ViewWish]?: unknown
  }
  return {
    view: oneOf(VIEWS, view) ?? FIRST_WISH.view,
    crawl: textOf(crawl),
    key: textOf(key),
    search: textOf(search).toLowerCase(),
    sort: oneOf(HOST_SORTS, sort) ?? FIRST_WISH.sort,
    state: oneOf(HOST_STATES, state) ?? FIRST_WISH.state,
    from: wholeOf(from, Number.MAX_SAFE_INTEGER) ?? 0,
    count: wholeOf(count, MAX_ROWS) ?? FIRST_WISH.count,
  }
}

/** Whether a page that goes from one to the other goes on showing the same thing. */
export function isSameView(a: ViewWish, b: ViewWish): boolean {
  return a.view === b.view && a.crawl === b.crawl && a.key === b.key
}

function oneOf<const Word extends string>(words: readonly Word[], said: unknown): Word | undefined {
  return words.find((word) => word === said)
}

function textOf(said: unknown): string {
  return typeof said === 'string' ? said.slice(0, MAX_TEXT) : ''
}

function wholeOf(said: unknown, most: number): number | undefined {
  return typeof said === 'number' && Number.isSafeInteger(said) && said >= 0 ? Math.min(said, most) : undefined
}

/** What a file has of a crawl: the parts of each view that it has, by `keptUnder`; of the table of hosts all rows, by trouble. */
export interface FileContent {
  /** When it was written, epoch ms. */
  readonly at: number
  /** The view that it opens with. */
  readonly first: Pick<ViewWish, 'view' | 'crawl' | 'key'>
  readonly views: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The name of a view in a file. */
export function keptUnder({ view, key }: Pick<ViewWish, 'view' | 'key'>): string {
  return `${view} ${key}`
}
