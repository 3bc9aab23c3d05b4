// The policy of recrawls that visits pages where it pays: binds the law of each host to what its visits saw, and to the votes on the next ones.
//
// A page that failed, moved or is missing, and documents of plugins, are visited as by a rule with the interval `withinMs`: what is gone is for plugin-recrawl.
import { createHash } from 'node:crypto'
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, wrongOption, type HostView, type Session } from '@avocet/core/plugin'
import { recrawl } from '@avocet/plugin-recrawl'
import { newHost, type HostLearning } from './host-learning.ts'
import { HostVisits } from './host-visits.ts'
import { tablePages, tableText } from './page-table.ts'

/** Options of `adaptive()`. */
export interface AdaptiveOptions {
  /** As many visits are made as with one of each page in so many ms. */
  readonly withinMs: number
  /** No page is visited less often, as far as its host can keep up. Default: a day, or `withinMs` if that is longer. */
  readonly atMostMs?: number
}

type HandledPage = Exclude<Parameters<NonNullable<Plugin['onHandled']>>[0], { readonly failure: object }>

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
  let session: Session | undefined

  /** The law of a host that is held. */
  function visitsOf(host: HostView, now: number): HostVisits {
    const visits = live.get(host) ?? restored(host, now)
    visits.mostPerHour = (SHARE_OF_RATE * host.pacedRps * HOUR_MS) / 1_000
    return visits
  }

  function restored(host: HostView, now: number): HostVisits {
    const [state = '', table = ''] = host.blob(NAME)?.split('\n') ?? []
    const known = state === '' ? newHost(now / HOUR_MS) : (JSON.parse(state) as HostLearning)
    const visits = new HostVisits(times, known, tablePages(table))
    live.set(host, visits)
    host.keepBlob(NAME, () => textOf(visits))
    return visits
  }

  return definePlugin({
    name: NAME,
    policy: 'recrawl',
    options: { withinMs, atMostMs },
    async open(opened) {
      session = opened
      await strict.open?.(opened, undefined)
    },
    onHandled(page) {
      if (page.failure) return
      const { host, request, now } = page
      const visits = visitsOf(host, now)
      visits.saw({ id: request.id, handler: request.handler, digest: digestOf(page), now: now / HOUR_MS })
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
      const at = momentAfter(visits.nextAt(request.id, now / HOUR_MS) * HOUR_MS, withinMs / MOMENTS)
      ask.again(at, { everyMs: withinMs, skipped: Math.max(0, Math.floor((now - ask.dueAt) / withinMs)) })
      const ids = visits.woken(now / HOUR_MS)
      if (ids.length > 0)
        session?.hasten(
          host.key,
          ids.map((id) => ({ id, at: Math.floor(now) })),
        )
    },
    explain({ host, now }) {
      return visitsOf(host, now).explained(now / HOUR_MS)
    },
  })
}

function textOf(visits: HostVisits): string {
  visits.unkept = 0
  return `${JSON.stringify(visits.state)}\n${tableText([...visits.pages.values()])}`
}

function momentAfter(at: number, everyMs: number): number {
  return Math.ceil(Math.ceil(at / everyMs) * everyMs)
}

/** 24 bits of what a page says: its watched values, or its items, or its bytes where it has none. Undefined: as before. */
function digestOf({ watched, items, response }: HandledPage): number | undefined {
  if (response.status === 304) return undefined
  const hash = createHash('sha1')
  if (watched.length > 0) for (const { key, value } of watched) hash.update(`${key}\n${value}\n`)
  else if (items.length > 0) for (const item of items) hash.update(`${item}\n`)
  else hash.update(response.body)
  return hash.digest().readUIntBE(0, 3)
}
