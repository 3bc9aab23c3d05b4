// The policy of recrawls that visits pages where it pays: binds the law of each host to what its visits saw, and to the votes on the next ones.
//
// A page that failed, moved or is missing, and documents of plugins, are visited as by a rule with the interval `withinMs`: what is gone is for plugin-recrawl.
import { createHash } from 'node:crypto'
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, wrongOption, type HostView, type Session } from '@avocet/core/plugin'
import { recrawl } from '@avocet/plugin-recrawl'
import { newHost, type HostLearning } from './host-learning.ts'
import { HostVisits, type VisitTimes } from './host-visits.ts'
import { tablePages, tableText } from './page-table.ts'

/** Options of `adaptive()`. */
export interface AdaptiveOptions {
  /** As many visits are made as with one of each page in so many ms. */
  readonly withinMs: number
  /** No page is visited less often, as far as its host can keep up. Default: a day, or `withinMs` if that is longer. */
  readonly atMostMs?: number
}

type HandledPage = Exclude<Parameters<NonNullable<Plugin['onHandled']>>[0], { readonly failure: object }>

type RevisitPlan = Parameters<Session['revisits']>[0]

const NAME = 'freshness'
const HOUR_MS = 3_600_000
/** Of what the rate policy has found: the rest is for new pages, retries and what is late. */
const SHARE_OF_RATE = 0.5
/** Visits of a host come together in moments, so many in `withinMs`: it is leased, and what is known of it read and written, once for all of them. */
const MOMENTS = 120
/** Visits of which a kill may lose what they taught; of many pages a quarter of them. */
const LEAST_UNKEPT = 64

/**
 * Visits pages that change often more often than others, with as many visits as one of each page every `withinMs` would cost. When several pages of a host
 * have changed that rarely do, the others are visited at once.
 *
 * @throws AVO_CONFIG_INVALID for what are no such options.
 * @example
 * ```ts
 * const policies = [adaptive({ withinMs: 3_600_000, atMostMs: 24 * 3_600_000 })]
 * ```
 */
export function adaptive(options: AdaptiveOptions): Plugin {
  checkOptions('adaptive', options, { withinMs: option.needed(option.atLeast(1_000)), atMostMs: option.positive })
  const { withinMs, atMostMs = Math.max(24 * HOUR_MS, withinMs) } = options
  if (atMostMs < withinMs) throw wrongOption('adaptive: atMostMs', `at least withinMs, ${withinMs}`, atMostMs)
  const strict = recrawl([{ everyMs: withinMs }])
  const times = { within: withinMs / HOUR_MS, atMost: atMostMs / HOUR_MS }
  const live = new WeakMap<HostView, HostVisits>()
  /** Of hosts that are held, by their keys. */
  const held = new Map<string, HostVisits>()
  let session: Session | undefined

  /** The law of a host that is held. */
  function visitsOf(host: HostView, now: number): HostVisits {
    const visits = live.get(host) ?? hold(host, now)
    visits.mostPerHour = (SHARE_OF_RATE * host.pacedRps * HOUR_MS) / 1_000
    return visits
  }

  function hold(host: HostView, now: number): HostVisits {
    const visits = restored(host, times, now)
    live.set(host, visits)
    held.set(host.key, visits)
    host.keepBlob(NAME, () => {
      held.delete(host.key)
      return textOf(visits)
    })
    return visits
  }

  /** That of a host at rest is left to core: once in a run its page is visited for it. */
  const modified: RevisitPlan['modified'] = ({ url, hostKey, modifiedAt }) => {
    const now = session?.clock.now() ?? 0
    const sign = held.get(hostKey)?.sign({ url: hashOf([url]), at: modifiedAt / HOUR_MS, now: now / HOUR_MS })
    if (sign?.dueAt !== undefined) hasten(hostKey, [{ id: sign.id, at: Math.ceil(sign.dueAt * HOUR_MS) }])
    return sign !== undefined
  }

  /** What is lost here is not visited before its time; that the store fails, the crawl hears by itself. */
  function hasten(hostKey: string, visits: Parameters<Session['hasten']>[1]): void {
    if (visits.length > 0) session?.hasten(hostKey, visits).catch(() => {})
  }

  return definePlugin({
    name: NAME,
    policy: 'recrawl',
    options: { withinMs, atMostMs },
    async open(opened) {
      session = opened
      opened.revisits({ rules: NAME, dueAt: () => undefined, modified })
      await strict.open?.(opened, undefined)
    },
    // Links of its first page, such as a sitemap, are found before anything is learned of the host.
    onAdmit({ host, admittedAt }) {
      visitsOf(host, admittedAt)
    },
    onHandled(page) {
      if (page.failure) return
      const { host, request, now } = page
      const visits = visitsOf(host, now)
      const { id, handler, url, knownAs = url } = request
      visits.saw({ id, url: hashOf([knownAs]), handler, digest: digestOf(page), now: now / HOUR_MS })
      // A host that always has something due is not given back for as long as the crawl runs.
      if (visits.unkept >= Math.max(LEAST_UNKEPT, visits.pages.size / 4)) host.keepBlob(NAME, textOf(visits))
    },
    revisit(ask) {
      const { host, request, outcome, now } = ask
      const visits = visitsOf(host, now)
      if (outcome.kind !== 'done' || visits.pages.get(request.id)?.at !== now / HOUR_MS) {
        visits.missed(request.id)
        return strict.revisit?.(ask, undefined, undefined)
      }
      const at = momentAfter(visits.nextAt(request.id, now / HOUR_MS) * HOUR_MS, withinMs / MOMENTS, host.key)
      ask.again(at, { everyMs: withinMs, skipped: Math.max(0, Math.floor((now - ask.dueAt) / withinMs)) })
      const ids = visits.woken(now / HOUR_MS)
      hasten(
        host.key,
        ids.map((id) => ({ id, at: Math.floor(now) })),
      )
    },
    explain({ host, now }) {
      return (live.get(host) ?? restored(host, times, now)).explained(now / HOUR_MS)
    },
  })
}

function restored(host: HostView, times: VisitTimes, now: number): HostVisits {
  const [state = '', table = ''] = host.blob(NAME)?.split('\n') ?? []
  const known = state === '' ? newHost(now / HOUR_MS) : (JSON.parse(state) as HostLearning)
  return new HostVisits(times, known, tablePages(table))
}

function textOf(visits: HostVisits): string {
  visits.unkept = 0
  return `${JSON.stringify(visits.state)}\n${tableText([...visits.pages.values()])}`
}

/** Those of different hosts are apart. */
function momentAfter(at: number, everyMs: number, hostKey: string): number {
  const from = (hashOf([hostKey]) / 2 ** 24) * everyMs
  return Math.ceil(from + Math.ceil((at - from) / everyMs) * everyMs)
}

/** Of what a page says: its watched values, or its items, or its bytes where it has none. Undefined: as before. */
function digestOf({ watched, items, page, response }: HandledPage): number | undefined {
  if (response.status === 304 || (items.length === 0 && page.changed === 'unchanged')) return undefined
  if (watched.length > 0) return hashOf(watched.map(({ key, value }) => `${key}\n${value}\n`))
  return hashOf(items.length > 0 ? items.map((item) => `${item}\n`) : [response.body])
}

/** 24 bits. */
function hashOf(parts: readonly (string | Uint8Array)[]): number {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest().readUIntBE(0, 3)
}
