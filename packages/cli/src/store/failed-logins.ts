// Sessions of a store that could not log in: which, since when, why, when the next attempt is, and how many requests wait for it.
import type { FrontierReader, MemoryParts } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf, formatMoment } from '../text/quantity.ts'

/** Core's own part of the crawl memory. */
const PART = 'core'
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

/** What core remembers of the logins of a session. Moments are epoch ms. */
interface LoginMemory {
  readonly isIn: boolean
  readonly failures: number
  readonly restUntil: number
  readonly failed?: { readonly at: number; readonly why: string }
}

/** All of them; `hostKey`: those that hold requests of this host. What cannot be read says nothing. */
export async function failedLoginsOf(
  reader: Pick<FrontierReader, 'crawlMemories' | 'requests'>,
  hostKey?: string,
): Promise<readonly FailedLogin[]> {
  const failed = Object.entries(loginsIn(await reader.crawlMemories())).flatMap(
    ([key, { isIn, failures, restUntil, failed: last }]) =>
      isIn || failures === 0 || last === undefined
        ? []
        : [{ ...whose(key), failures, failedAt: last.at, why: last.why, nextAt: restUntil }],
  )
  if (failed.length === 0) return []
  const { bySession, isCut } = await waitingBySession(reader, hostKey)
  const counted = failed.map((one) => ({
    ...one,
    waiting: bySession.get(one.hostKey === undefined ? `session ${one.session ?? ''}` : `host ${one.hostKey}`) ?? 0,
    ...(isCut && { isMore: true as const }),
  }))
  return hostKey === undefined ? counted : counted.filter((one) => one.waiting > 0 || one.hostKey === hostKey)
}

function loginsIn(memories: readonly MemoryParts[]): Readonly<Record<string, LoginMemory>> {
  const all: Record<string, LoginMemory> = {}
  for (const parts of memories) Object.assign(all, readLogins(parts[PART]))
  return all
}

function readLogins(text = 'null'): Readonly<Record<string, LoginMemory>> {
  try {
    const saved = JSON.parse(text) as readonly [number, { readonly logins?: Readonly<Record<string, LoginMemory>> }] | null
    return saved?.[1].logins ?? {}
  } catch {
    return {}
  }
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
