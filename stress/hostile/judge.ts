// Compares the result of a row with what it expects. Pure.
import { reasonOf, type FailureCode } from '@avocet/core/plugin'
import type { HostileFelt } from './hostile-host.ts'
import { MOST_REQUESTS, type HostileRow } from './hostile-row.ts'
import type { HostileSeen } from './seen.ts'

/** The result of a row, from all sides. */
export interface HostileOutcome {
  readonly seen: HostileSeen
  readonly felt: HostileFelt
  /** The whole report, as text. */
  readonly report: string
}

/** Expectations that are not met, one line each; empty if all are. */
export function missesOf({ expected, play }: HostileRow, { seen, felt, report }: HostileOutcome): readonly string[] {
  const { ends, mostRequests = MOST_REQUESTS, keepsWaiting = false } = expected
  const misses: string[] = []
  const miss: Miss = (holds, what) => {
    if (!holds) misses.push(what)
  }
  const most = (what: string, got: number, bar: number | undefined): void =>
    miss(bar === undefined || got <= bar, `${what}: at most ${String(bar)}, got ${String(got)}`)

  missesOfEnds(expected, seen, miss)
  missesOfPages(expected, seen, miss)
  most('requests', felt.requests, mostRequests + lostToOthers(seen, ends))
  // Where nothing is ever asked, each attempt is a connection.
  if (felt.requests === 0 && typeof play !== 'string') most('connections', felt.connections, Math.max(mostRequests, 2))
  most('pages', seen.pageCount, expected.mostPages)
  most('known URLs', seen.known, expected.mostKnown)
  most('failed requests', keepsWaiting ? seen.failed : 0, 0)
  most('requests for what is forbidden', felt.forbidden, 0)
  most('requests with the secret of another origin', felt.leaked, 0)
  miss(expected.reported === undefined || report.includes(expected.reported), `the report names ${String(expected.reported)}`)
  return misses
}

type Miss = (holds: boolean, what: string) => void

function missesOfEnds({ ends, pages, mostPages }: HostileRow['expected'], seen: HostileSeen, miss: Miss): void {
  if (ends === undefined) return
  const ended = Object.keys(seen.ends)
  const words = new Set(ends.flatMap((end) => (isStatus(end) ? [end] : [end, reasonOf(end)])))
  miss(
    ended.some((end) => words.has(end)),
    `ends as ${ends.join(' or ')}, got ${ended.join(', ') || 'nothing'}`,
  )
  const some = Object.keys(seen.pages).slice(0, 3).join(' ')
  miss(pages !== undefined || mostPages !== undefined || seen.pageCount === 0, `no page, got ${some}`)
}

function missesOfPages({ pages = [], titles = {}, links }: HostileRow['expected'], seen: HostileSeen, miss: Miss): void {
  const missing = pages.filter((path) => !(path in seen.pages))
  const ended = Object.keys(seen.ends).join(', ') || 'no failure'
  miss(missing.length === 0, `pages ${missing.slice(0, 5).join(' ')}: ${String(missing.length)} not had (${ended})`)
  for (const [path, title] of Object.entries(titles)) {
    const got = seen.pages[path]
    miss(got === undefined || got === title, `title of ${path}: ${JSON.stringify(title)}, got ${JSON.stringify(got)}`)
  }
  if (links === undefined) return
  const [least, bar] = links
  const got = seen.links ?? 0
  miss(got >= least && got <= bar, `links: ${String(least)} to ${String(bar)}, got ${String(got)}`)
}

/**
 * Attempts that were lost to time or memory which the row did not take: the page is innocent, so an overloaded crawl must try again, and is told so by
 * other bars. Alone, a row loses none, and its bar counts what its own behaviour provokes.
 */
function lostToOthers({ ends }: HostileSeen, expected: readonly string[] = []): number {
  const others = Object.entries(ends).filter(([end]) => /^AVO_(?:.*_TIMEOUT|BODY_BUDGET)$/.test(end) && !expected.includes(end))
  return others.reduce((sum, [, times]) => sum + times, 0)
}

function isStatus(end: FailureCode | `http-${number}`): end is `http-${number}` {
  return end.startsWith('http-')
}
