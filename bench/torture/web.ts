// The web of the torture, within the tortured process: three hosts of eight pages, with everything that writes something of its own. What is asked is
// logged before anything else happens, as a server would.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResponseHeaders } from '@avocet/core/plugin'
import type { Clock, Fetcher } from '@avocet/core/store'
import type { FailPoints } from './fail-points.ts'
import type { Job } from './job.ts'

const HOSTS = 3
const PAGES = 8
/** How long an answer takes. */
const ANSWER_MS = 30

/** Where a crawl begins. */
export const SEEDS: readonly string[] = Array.from({ length: HOSTS }, (_, host) => urlOf(host, 1))

/** A document of a plugin. */
export const NOTE: string = `${new URL(urlOf(0, 1)).origin}/memo`

interface Answer {
  readonly status: number
  readonly headers?: ResponseHeaders
  readonly body?: string
}

/** A fetcher whose servers keep no state but for one page, that refuses the first request of each process. */
export function tinyWeb(job: Job, clock: Clock, points: FailPoints): Fetcher {
  const log = join(job.folder, 'requests.jsonl')
  const asked = new Set<string>()
  return {
    fetch({ url }, receiver) {
      let over = false
      const step = (point: string, then: () => void): void => {
        clock.at(clock.now() + ANSWER_MS / 3, () => {
          if (over) return
          then()
          points.before(point)
        })
      }
      const { status, headers = { 'content-type': 'text/html' }, body = '' } = answerOf(url, asked, clock.now())
      step('request sent', () => {
        appendFileSync(log, `${JSON.stringify({ at: clock.now(), life: job.life, url })}\n`)
        receiver.sent()
        step('headers received', () => {
          const wish = receiver.headers({ status, headers })
          if (over) return
          step('body received', () => {
            over = true
            const bytes = wish === 'read' ? new TextEncoder().encode(body) : new Uint8Array()
            const timings = { firstByteMs: 20, bodyMs: 10, reusedSocket: false }
            receiver.done({ url, status, headers, body: bytes, wireBytes: bytes.length, timings })
          })
        })
      })
      return () => {
        over = true
      }
    },
    close: async () => {},
  }
}

/** Page 7 has moved, page 8 is gone, page 5 of the second host is overloaded at first, page 4 is another one each time. */
function answerOf(url: string, asked: Set<string>, now: number): Answer {
  const { host, pathname } = new URL(url)
  const [at, page] = [Number(host.charAt(1)), Number(pathname.slice(1))]
  const isFirst = !asked.has(url)
  asked.add(url)
  if (pathname === '/robots.txt')
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /no' }
  if (url === NOTE) return { status: 200, body: 'a note' }
  if (page === 7) return { status: 301, headers: { location: urlOf(at, 6) } }
  if (page === 8 || !(page > 0)) return { status: 404 }
  if (page === 5 && at === 1 && isFirst) return { status: 503, headers: { 'retry-after': '1' } }
  const links = [urlOf(at, 2 * page), urlOf(at, 2 * page + 1), urlOf((at + 1) % HOSTS, page)]
  const within = links.filter((link) => Number(new URL(link).pathname.slice(1)) <= PAGES)
  const title = page === 4 ? `page 4 at ${String(now)}` : `page ${String(page)}`
  return { status: 200, body: `<title>${title}</title>${within.map((link) => `<a href="${link}">on</a>`).join('')}` }
}

function urlOf(host: number, page: number): string {
  return `http://h${String(host)}.test/${String(page)}`
}
