// Sessions of a store that could not log in: which, since when, why, when the next attempt is, and how many requests wait for it.
import type { FrontierReader } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { printable, formatCount, formatCountOf, formatMoment } from '@avocet/project/text'

/** Requests that are looked at: of more, the count is what was found so far. */
const MOST_REQUESTS = 10_000
const PAGE = 1_000

/** A session that is out. Moments are epoch ms. */
export interface FailedLogin {
  /** Absent: that of `hostKey`. */
  readonly session?: string
  /** Of a session without a name: its host. */
  readonly hostKey?: string
  /** Logins that failed, in a row. */
  readonly failures: number
  /** Of the last one. */
  readonly failedAt: number
  readonly why: string
  /** The next attempt is not before. */
  readonly nextAt: number
  /** Requests that wait for it. */
  readonly waiting: number
  /** There may be more of them. */
  readonly isMore?: true
}

/** All of them; `hostKey`: those that hold requests of this host. */
export async function failedLoginsOf(
  reader: Pick<FrontierReader, 'requests'>,
  { memories }: Pick<CrawlAtRest, 'memories'>,
  hostKey?: string,
): Promise<readonly FailedLogin[]> {
  const out = (await import('@avocet/plugin-login')).failedLogins(memories)
  if (out.length === 0) return []
  const { bySession, isCut } = await waitingBySession(reader, hostKey)
  const counted = out.map(([key, { failures, restUntil: nextAt, failed }]) => {
    const { at: failedAt = 0, why = '' } = failed ?? {}
    const waiting = bySession.get(key) ?? 0
    return { ...whose(key), failures, failedAt, why, nextAt, waiting, ...(isCut && { isMore: true as const }) }
  })
  return hostKey === undefined ? counted : counted.filter((one) => one.waiting > 0 || one.hostKey === hostKey)
}

function whose(key: string): Pick<FailedLogin, 'session' | 'hostKey'> {
  const name = key.slice(key.indexOf(' ') + 1)
  return key.startsWith('host ') ? { hostKey: name } : { session: name }
}

/** How many wait, by session as logins name it. */
async function waitingBySession(
  reader: Pick<FrontierReader, 'requests'>,
  hostKey: string | undefined,
): Promise<{ readonly bySession: ReadonlyMap<string, number>; readonly isCut: boolean }> {
  const bySession = new Map<string, number>()
  let afterId = 0
  for (let seen = 0; seen < MOST_REQUESTS; seen += PAGE) {
    const page = await reader.requests({ state: 'waiting', afterId, limit: PAGE, ...(hostKey !== undefined && { hostKey }) })
    for (const { hostKey: host, session } of page) {
      const key = session === undefined ? `host ${host}` : `session ${session}`
      bySession.set(key, (bySession.get(key) ?? 0) + 1)
    }
    if (page.length < PAGE) return { bySession, isCut: false }
    afterId = page.at(-1)?.id ?? afterId
  }
  return { bySession, isCut: true }
}

/** `session ann: 12 requests wait, 3 logins failed, the last at …: http 500; next try at …`. */
export function loginLine({ session, hostKey = '', failures, failedAt, why, nextAt, waiting, isMore }: FailedLogin): string {
  const whose = session === undefined ? `session of ${hostKey}` : `session ${session}`
  const wait = `${isMore ? 'at least ' : ''}${formatCountOf(waiting, 'request')} ${waiting === 1 ? 'waits' : 'wait'}`
  const last = `${failures === 1 ? '1 login' : `${formatCount(failures)} logins in a row`} failed, the last at ${formatMoment(failedAt)}`
  return printable(`${whose}: ${wait}; ${last}: ${why}; next try at ${formatMoment(nextAt)} or later`)
}
