// Large healthy sites that look like traps: thousands of URLs of one pattern, thin pages, the same words on each. Not one page of them may be refused.
import type { Writer } from '../written-web.ts'

/** Pages of each site. */
const PAGES = 2_000

const a = (href: string, text = 'more'): string => `<a href="${href}">${text}</a>`
const numberOf = (text: string | null | undefined): number => Number(/\d+/.exec(text ?? '')?.[0] ?? 0)
const WORDS = Array.from({ length: 97 }, (_, k) => `word${'abcdefghij'[k % 10]}${'klmnopqrst'[Math.floor(k / 10)]}`)
const prose = (n: number): string =>
  Array.from({ length: 6 }, (_, k) => WORDS[(n * 31 + k * k * 7 + (n >> k)) % WORDS.length]).join(' ')
/** Links to the next few pages, so that the frontier of the crawl is neither one page nor all. */
const onward = (n: number, path: (n: number) => string, last = PAGES - 1): string =>
  [n + 1, n + 3]
    .filter((to) => to <= last)
    .map((to) => a(path(to)))
    .join('')

const day = (n: number): string => new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
const LANGUAGES = ['en', 'de', 'fr', 'it'] as const

/** A site: where it begins, what its pages say, how many there are, and which of them yields an item. */
export interface HealthySite {
  readonly start: string
  readonly write: Writer
  readonly pages: number
}

/** By name; each is at `http://<name>.test`. */
export const HEALTHY_SITES: Readonly<Record<string, HealthySite>> = {
  // Told apart by their numbers alone.
  shop: {
    start: '/p/0',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      return `<h1>Product ${n}</h1><p>The price is ${n * 7}.99 today</p>${onward(n, (to) => `/p/${to}`)}`
    },
  },
  // The same words on each page: what differs is an image.
  gallery: {
    start: '/photo/0',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      return `<h1>A photograph of ours</h1><img src="/images/${n}.jpg" alt="photograph"><p>All rights reserved</p>${onward(n, (to) => `/photo/${to}`)}`
    },
  },
  // Lists that say the same but for their links, of which half of the products are known already.
  lists: {
    start: '/list?page=1',
    pages: PAGES,
    write: ({ pathname, searchParams }) => {
      if (pathname !== '/list') return `<h1>${prose(numberOf(pathname))} ${pathname}</h1>`
      const page = numberOf(searchParams.get('page'))
      const products = [page - 1, page].filter((n) => n > 0 && n <= PAGES / 2).map((n) => a(`/product/${n}`, 'Product'))
      return `<h1>All our products</h1>${products.join('')}${page < PAGES / 2 ? a(`/list?page=${page + 1}`, 'Next') : ''}`
    },
  },
  // Threads of ten pages, with posts of a word.
  forum: {
    start: '/thread/1?page=1',
    pages: PAGES,
    write: ({ pathname, searchParams }) => {
      const thread = numberOf(pathname)
      const page = numberOf(searchParams.get('page'))
      const post = ['Thanks', 'Me too', 'Any news'][(thread + page) % 3] ?? ''
      const next = page < 10 ? a(`/thread/${thread}?page=${page + 1}`, 'Next') : ''
      return `<p>${post} said user ${thread * 10 + page} of our forum</p>${next}${thread < PAGES / 10 ? a(`/thread/${thread + 1}?page=1`, 'Next thread') : ''}`
    },
  },
  // An archive by day, of which each page tells one number.
  rates: {
    start: `/rates?date=${day(0)}`,
    pages: PAGES,
    write: ({ searchParams }) => {
      const n = Math.round((Date.parse(searchParams.get('date') ?? '') - Date.UTC(2020, 0, 1)) / 86_400_000)
      return `<h1>Rates of ${day(n)}</h1><p>One euro is 1.${String(10_000 + ((n * 7_919) % 9_973))} dollars</p>${onward(n, (to) => `/rates?date=${day(to)}`)}`
    },
  },
  // Pages that nobody has translated: their language differs, and their address.
  languages: {
    start: '/en/0',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      const language = pathname.slice(1, 3)
      const others = n === 0 && language === 'en' ? LANGUAGES.slice(1).map((other) => a(`/${other}/0`)) : []
      return `<html lang="${language}"><h1>Chapter ${n}</h1><p>${prose(n)}</p>${others.join('')}${onward(n, (to) => `/${language}/${to}`, PAGES / LANGUAGES.length - 1)}`
    },
  },
  // A third of the products is sold out, and all such pages say so in the same words.
  'sold-out': {
    start: '/item/0',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      const text = n % 3 === 1 ? '<h1>This product is no longer available</h1>' : `<h1>${prose(n)} ${n}</h1>`
      return `${text}<p>See what else we have</p>${onward(n, (to) => `/item/${to}`)}`
    },
  },
  // An encyclopaedia of stubs, each linked from many others.
  stubs: {
    start: '/wiki/0',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      const to = [2 * n + 1, 2 * n + 2, (n * 37 + 11) % PAGES].filter((m) => m < PAGES)
      return `<h1>Village ${n}</h1><p>A village in the north</p>${to.map((m) => a(`/wiki/${m}`)).join('')}`
    },
  },
  // Folders below folders, of which each has one page beside its next.
  folders: {
    start: '/archive/0/',
    pages: PAGES,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      if (!pathname.endsWith('/')) return `<h1>Report ${n}</h1><p>${prose(n)}</p>`
      const next = n < PAGES / 2 - 1 ? a(`/archive/${n + 1}/`) : ''
      return `<h1>Folder</h1><p>of our archive of reports</p>${a(`/archive/${n}/report`)}${next}`
    },
  },
  // A long page that differs in the middle alone, in a number of as many digits.
  manuals: {
    start: '/manual/0',
    pages: 300,
    write: ({ pathname }) => {
      const n = numberOf(pathname)
      return `${PREFACE}<p>Part number ${'x'.repeat(n % 17)} ${String(10_000 + n)}</p>${PREFACE}${onward(n, (to) => `/manual/${to}`, 299)}`
    },
  },
}

const PREFACE = '<p>All that is said here is said without any warranty whatsoever.</p>'.repeat(1_600)

/** Where they begin. */
export const HEALTHY_SEEDS: readonly string[] = Object.entries(HEALTHY_SITES).map(
  ([name, { start }]) => `http://${name}.test${start}`,
)

/** Writes the pages of all of them. */
export const writeHealthy: Writer = (url) => HEALTHY_SITES[url.hostname.replace(/\.test$/, '')]?.write(url)
