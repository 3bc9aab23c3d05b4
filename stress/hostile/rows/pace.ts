// Rows about pace: who refuses, bans, flips, slows down, or wants to be left alone.
import { after, html, serves, site, status, whole } from '../answers.ts'
import type { HostileAnswer, Expected, HostileRow } from '../hostile-row.ts'

function pace(name: string, does: string, answer: HostileAnswer, expected: Expected): HostileRow {
  return { name, does, play: { answer }, expected }
}

/** Pages of a site of 300, of which each links to the next three. */
const LONG: HostileAnswer = serves(({ path }) => {
  const n = Number(path.slice(1))
  return html(`Page ${String(n)}`, ...[1, 2, 3].map((step) => `/${String(Math.min(300, n + step))}`))
})

/** Takes ten requests in any second and refuses the others. */
function tenPerSecond(): HostileAnswer {
  let left = 10
  let since: object | undefined
  return (asked, line) => {
    if (since === undefined) {
      since = line
      line.after(1_000, () => {
        left = 10
        since = undefined
      })
    }
    left -= 1
    ;(left >= 0 ? LONG : status('429 Too Many Requests'))(asked, line)
  }
}

/** The rows. */
export const PACE_ROWS: readonly HostileRow[] = [
  pace(
    'flip-flop-503',
    'answers every second request with 503',
    (asked, line) => (asked.nth % 2 === 0 ? status('503 Busy') : site(6))(asked, line),
    {
      pages: ['/', '/1'],
      mostRequests: 80,
    },
  ),
  pace('ten-per-second', 'refuses above ten requests a second', tenPerSecond(), { pages: ['/'], mostRequests: 2_000 }),
  pace(
    'ban-after-20',
    'forbids all from the 20th request on',
    (asked, line) => (asked.nth > 20 ? status('403 Forbidden') : LONG)(asked, line),
    {
      pages: ['/'],
      ends: ['http-403'],
      mostRequests: 45,
    },
  ),
  pace('ban-at-once', 'forbids all', status('403 Forbidden'), { ends: ['http-403'], mostRequests: 12 }),
  pace(
    'captcha',
    'answers every page with a captcha',
    serves(() => html('Are you human?')),
    { pages: ['/'], mostRequests: 4 },
  ),
  pace('503-for-ever', 'is closed for an hour', status('503 Busy', 'Retry-After: 3600\r\n'), {
    ends: ['http-503'],
    keepsWaiting: true,
    mostRequests: 3,
  }),
  pace('429-for-ever', 'refuses every request, without a word', status('429 Too Many Requests'), {
    ends: ['http-429'],
    mostRequests: 30,
  }),
  pace('500-for-ever', 'is broken', status('500 Broken'), { ends: ['http-500'], mostRequests: 12 }),
  pace('502-for-ever', 'has nothing behind it', status('502 Bad Gateway'), { ends: ['http-502'], mostRequests: 20 }),
  pace('404-for-ever', 'has nothing', status('404 Not Found'), { ends: ['http-404'], mostRequests: 4 }),
  pace('418', 'is a teapot', status('418 Teapot'), { ends: ['http-418'], mostRequests: 4 }),
  pace('599', 'answers with status 599', status('599 What'), { ends: ['http-599'], mostRequests: 12 }),
  pace(
    'slow-then-fast',
    'takes 2.5 s for its first five pages, then none',
    (asked, line) => (asked.nth > 5 ? site(8) : after(2_500, site(8)))(asked, line),
    {
      pages: ['/', '/1', '/8'],
      mostRequests: 16,
    },
  ),
  pace(
    'fast-then-dead',
    'answers five pages, then never again',
    (asked, line) => {
      if (asked.nth <= 5) site(40)(asked, line)
    },
    { pages: ['/'], ends: ['AVO_FIRST_BYTE_TIMEOUT'], mostRequests: 40 },
  ),
  pace(
    'etag-lies',
    'has one ETag for all, and was changed in 2099',
    (asked, line) =>
      void line.write(whole(html(asked.path, '/1', '/2'), 'ETag: "same"\r\nLast-Modified: Thu, 01 Jan 2099 00:00:00 GMT\r\n')),
    {
      pages: ['/', '/1', '/2'],
      titles: { '/1': '/1', '/2': '/2' },
    },
  ),
  pace('304-unasked', 'says of everything that it was not modified', status('304 Not Modified'), {
    ends: ['http-304'],
    mostRequests: 4,
  }),
]
