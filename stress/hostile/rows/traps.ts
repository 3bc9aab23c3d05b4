// Rows about sites without an end: whatever is followed there leads to more of the same. The bar is 500 pages, and that the report names the pattern.
import { after, CHUNKED, html, serves } from '../answers.ts'
import type { HostileAnswer, HostileRow } from '../hostile-row.ts'

/** Pages of one trap that a crawl may fetch before it knows. */
const MOST_PAGES = 500

function trap(name: string, does: string, pattern: string, pages: (path: string, nth: number) => string): HostileRow {
  return {
    name: `trap-${name}`,
    does,
    play: { answer: serves(({ path, nth }) => pages(path, nth)) },
    expected: { pages: ['/'], mostPages: MOST_PAGES, mostRequests: MOST_PAGES + 60, mostKnown: 100_000, reported: pattern },
  }
}

/** The day that is `n` days after the first of 2020, as YYYY-MM-DD. */
const day = (n: number): string => new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
/** The month that is `n` months after the first of 2000, as /YYYY/MM. */
const month = (n: number): string => `/${String(2_000 + Math.floor(n / 12))}/${String((n % 12) + 1).padStart(2, '0')}`
const numberIn = (text: string): number => Number(/(\d+)(?!.*\d)/.exec(text)?.[1] ?? 0)
/** Digits that look like chance, and are the same each time. */
const scrambled = (n: number): string => ((n * 2_654_435_761) % 4_294_967_296).toString(36).padStart(7, '0')
/** Ten columns in the `n`th order of many. */
function order(n: number): string {
  const left = 'abcdefghij'.split('')
  let rest = n * 7_919
  return Array.from({ length: left.length }, () => {
    const [column] = left.splice(rest % left.length, 1)
    rest = Math.floor(rest / (left.length + 1))
    return column
  }).join(',')
}

/** Of a list. */
const PARTS: readonly string[] = Array.from({ length: 12 }, (_, n) => (n === 0 ? '/' : `/?page=${n + 1}`))
const SAME_TEXT = '<p>The same text on every page, whatever the address says. '.repeat(5)

const slow: HostileAnswer = (_asked, line) => {
  line.write(CHUNKED)
  const piece = '<p>slow</p>\n'.repeat(20)
  line.every(200, () => void line.write(`${piece.length.toString(16)}\r\n${piece}\r\n`))
}

/** The rows. */
export const TRAP_ROWS: readonly HostileRow[] = [
  trap('calendar', 'has a calendar with a next and a previous day for ever', '/calendar', (path) => {
    const at = path === '/' ? 0 : Math.round((Date.parse(path.slice(-10)) - Date.UTC(2020, 0, 1)) / 86_400_000)
    return html(`Events of ${day(at)}`, `/calendar?d=${day(at - 1)}`, `/calendar?d=${day(at + 1)}`, `/calendar?d=${day(at + 31)}`)
  }),
  trap('calendar-path', 'has a calendar in its paths', '/events', (path) => {
    const [, year = '2000', number = '1'] = /(\d{4})\/(\d+)/.exec(path) ?? []
    const at = (Number(year) - 2_000) * 12 + Number(number) - 1
    return html(`Events of ${month(at).slice(1)}`, ...[1, 2, 12].map((step) => `/events${month(at + step)}`))
  }),
  trap(
    'session-path',
    'has a new session id in every link',
    '/session',
    (_path, nth) =>
      html('Session', ...[1, 2, 3].map((n) => `/session/page${String(n)};jsessionid=${scrambled(nth * 3 + n)}`)) + SAME_TEXT,
  ),
  trap(
    'session-query',
    'has a new session id in every query',
    '/query',
    (_path, nth) => html('Session', ...[1, 2, 3].map((n) => `/query/page${String(n)}?sid=${scrambled(nth * 3 + n)}`)) + SAME_TEXT,
  ),
  trap('deep-path', 'links below itself, for ever', '/deep', () => html('Deep', 'deep/', 'deeper/', 'deepest/')),
  trap('growing-path', 'adds a new folder to its path with every link', '/grow', (path, nth) =>
    html('Growing', `${path === '/' ? '/grow' : path}/${scrambled(nth)}`, `/grow/${scrambled(nth + 7)}/${scrambled(nth)}`),
  ),
  trap('growing-query', 'adds a parameter to its query with every link', '/filter', (path, nth) =>
    html('Growing', `${path === '/' ? '/filter?a=1' : path}&p${String(nth)}=1`, `/filter?x=${scrambled(nth)}`),
  ),
  trap('facets', 'has thirty facets that can be combined', '/shop', (path) => {
    const chosen = new URLSearchParams(path.split('?')[1] ?? '')
    const more = Array.from({ length: 30 }, (_, n) => {
      const next = new URLSearchParams(chosen)
      next.set(`f${String(n)}`, '1')
      next.sort()
      return `/shop?${next.toString().replaceAll('&', '&amp;')}`
    })
    return html('Facets', ...more) + SAME_TEXT
  }),
  trap(
    'soft-404',
    'answers every path with a page that says it is not there',
    '/nothing',
    (_path, nth) =>
      html('Not found', ...[1, 2, 3].map((n) => `/nothing/${scrambled(nth * 3 + n)}.html`)) + SAME_TEXT + scrambled(nth),
  ),
  {
    name: 'trap-maze',
    does: 'is a maze of pages, each of its own, with five links to others',
    play: {
      answer: serves(
        ({ path, nth }) =>
          html(`Room ${scrambled(numberIn(path))}`, ...[1, 2, 3, 4, 5].map((n) => `/maze/${String((nth * 5 + n) * 7)}`)) +
          scrambled(nth).repeat(50),
      ),
    },
    // A site of thin pages that all differ looks like this, and none of its pages may be lost: what it adds is bounded, and it is
    // asked as fast as it answers, within the 10 requests a second that a host has by default: in two minutes of a clock that runs four times as fast.
    expected: { pages: ['/'], mostKnown: 100_000, mostRequests: 10 * 480 },
  },
  trap('pager', 'has a next page for ever, with nothing on it', '/list', (path) =>
    html(
      'List',
      `/list?page=${String(numberIn(path) + 1)}`,
      `/list?page=${String(numberIn(path) + 2)}`,
      `/list?page=${String(numberIn(path) + 10)}`,
    ),
  ),
  trap(
    'sort-orders',
    'has every order of ten columns',
    '/table',
    (path, nth) => html('Table', ...[1, 2, 3].map((n) => `/table?sort=${order(nth * 3 + n)}`)) + (path === '/' ? '' : SAME_TEXT),
  ),
  trap('thousand-links', 'has a thousand new links on every page', '/many', (_path, nth) =>
    html('Many', ...Array.from({ length: 1_000 }, (_, n) => `/many/${String(nth)}/${String(n)}`)),
  ),
  {
    name: 'trap-alias-farm',
    does: 'links to 50 new names below its own on every page',
    named: ({ address }) => ({ addresses: [address] }),
    below: (_name, { address }) => ({ addresses: [address], ttl: 60 }),
    play: {
      answer: serves(({ nth, world }) =>
        html(
          'Farm',
          ...Array.from(
            { length: 50 },
            (_, n) => `http://n${scrambled(nth * 50 + n)}.trap-alias-farm.hostile.test:${String(world.port)}/`,
          ),
        ),
      ),
    },
    // Of 200 new hosts, each for its robots.txt and its page.
    expected: { pages: ['/'], mostPages: MOST_PAGES, mostKnown: 5_000, mostRequests: 2 * 201 + 10 },
  },
  {
    name: 'trap-new-hosts',
    does: 'links to 5,000 hosts that do not exist',
    play: {
      answer: serves(({ nth }) =>
        html(
          'Hosts',
          ...Array.from({ length: 5_000 }, (_, n) => `http://h${scrambled(nth * 5_000 + n)}.nowhere.hostile.test/trap-new-hosts`),
        ),
      ),
    },
    expected: { pages: ['/'], mostKnown: 201 },
  },
  {
    name: 'trap-tarpit',
    does: 'sends its pages at a kilobyte a second, and never the end',
    play: { answer: slow },
    expected: { ends: ['AVO_TOTAL_TIMEOUT', 'AVO_TOO_SLOW'], mostRequests: 8 },
  },
  {
    name: 'trap-slow-maze',
    does: 'is a maze in which every page takes 2 s',
    play: {
      answer: after(
        2_000,
        serves(({ nth }) => html('Slow maze', ...[1, 2, 3, 4, 5].map((n) => `/slow/${String(nth * 5 + n)}`))),
      ),
    },
    expected: { pages: ['/'], mostPages: MOST_PAGES, mostRequests: 300 },
  },
  {
    name: 'same-pages-lie',
    does: 'says of each part of a list that no parameter of its URL matters',
    play: {
      answer: serves(
        ({ path }) => html(`Part ${numberIn(path)}`, ...PARTS.map((part) => part.slice(1))),
        'No-Vary-Search: params, key-order\r\n',
      ),
    },
    expected: { pages: PARTS, mostRequests: 30 },
  },
  {
    name: 'same-pages-field',
    does: 'names 1,200 parameters in No-Vary-Search, others in each answer',
    play: {
      answer: (asked, line) => {
        const names = Array.from({ length: 1_200 }, (_, n) => `"p${asked.nth}-${n}"`).join(' ')
        serves(() => html('Named', '?p1-0=a', '?p1-0=b'), `No-Vary-Search: params=(${names})\r\n`)(asked, line)
      },
    },
    expected: { pages: ['/', '/?p1-0=a', '/?p1-0=b'], mostRequests: 20 },
  },
]
