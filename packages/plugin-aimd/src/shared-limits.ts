// Limits that many hosts share, such as that of a platform of shops: one pace over all of them, beside what the rate policy says of each.
//
// To a limit, all that its hosts are sent is one sequence of exchanges, so the law of a single host runs over it (aimd.ts), on a memory of the crawl.
// Admission joins: the latest moment counts. With `share`, a 429 of one host is one of the limit, and the rate policy of the host does not hear of it: 240
// hosts would each halve their own rate for a bucket that they emptied together. A 503 stays the host's: a shop in maintenance closes no other.
// A limit that is learned, of hosts at one address, is not spared: should it have been learned wrongly, each host still knows its own.
// Several processes: each takes the part of its hosts (process-parts.ts), and one that joins others sends nothing under a limit until they have heard of it.
import { definePlugin, type Plugin, type SharedLimit } from '@avocet/core'
import { unbook } from './aimd.ts'
import { LIMITS, LimitsOfHosts, memoryOf, type LimitMemories, type LimitMemory, type Places } from './limits-of-hosts.ts'
import { LiveLimits } from './live-limits.ts'

/** What `limits` of a configuration comes to. */
export interface SharedLimits {
  readonly plugin: Plugin
  /** A rate policy that does not hear of refusals that are those of a shared limit. */
  spared(policy: Plugin): Plugin
}

/**
 * One pace for the hosts of each limit, under any rate policy. The limits were checked.
 *
 * @example
 * ```ts
 * sharedLimits([{ match: '*.shops.example', share: true, maxRps: 12 }]).plugin.name // 'limits'
 * ```
 */
export function sharedLimits(
  limits: readonly SharedLimit[],
  { learns = false }: { readonly learns?: boolean } = {},
): SharedLimits {
  const all = new LimitsOfHosts(limits, learns)
  const live = new LiveLimits(all)
  const plugin = definePlugin<Places, LimitMemories>({
    name: LIMITS,
    ...(limits.length > 0 && { options: { named: limits.length } }),
    outsideEffects: false,
    seesRequired: true,
    hostMemory: () => ({}),
    forgetHost: (places) => places,
    crawlMemory: () => ({}),
    merge: joined,
    open(session, memories) {
      for (const [name, { rate }] of Object.entries(memories)) {
        const usedAt = Math.max(rate.pace.bookedAt, rate.pace.pausedUntil)
        if (!all.isName(name) || usedAt < session.now - FORGOTTEN_MS) delete memories[name]
      }
      all.open(session)
      return live.parts.open(session, memories)
    },
    close: () => live.parts.close(),
    admit(question, places, memories) {
      const lookedUpAt = all.lookedUpAt(question, places)
      if (lookedUpAt > 0) return question.notBefore(lookedUpAt, 'its address is being looked up')
      for (const limit of all.of(question.host.key, places, all.wayOf(question))) live.ask(question, limit, memories)
    },
    onAdmit(exchange, places, memories) {
      for (const limit of all.of(exchange.host.key, places, all.wayOf(exchange))) live.book(exchange, limit, memories)
    },
    onUnsent: (exchange) => live.over(exchange, (each, rate, { settings }) => unbook(each, rate, settings)),
    onError: ({ exchange }) => live.over(exchange, () => undefined),
    onResponse(answer, places, memories) {
      const { exchange } = answer
      all.note(answer, places)
      live.answered(answer, all.of(exchange.host.key, places, all.wayOf(exchange)), memories)
    },
    explain({ host, now }, places, memories) {
      const limit = all.of(host.key, places).find((each) => !each.isLearned || memories[each.name] !== undefined)
      return limit === undefined ? {} : live.explain(limit, memoryOf(memories, limit), now)
    },
  })
  return {
    plugin,
    spared: (policy) => ({
      ...policy,
      onResponse: (answer, host, crawl) => void (live.isOfLimit(answer) || policy.onResponse?.(answer, host, crawl)),
    }),
  }
}

/** A limit that was not used for so long is forgotten: addresses change. */
const FORGOTTEN_MS = 7 * 86_400_000

/** What two processes left: of each limit the one that is paused longer, or was used later. */
function joined(a: LimitMemories, b: LimitMemories): LimitMemories {
  const later = ({ rate: { pace } }: LimitMemory, { rate: { pace: other } }: LimitMemory): boolean =>
    pace.pausedUntil > other.pausedUntil || (pace.pausedUntil === other.pausedUntil && pace.bookedAt >= other.bookedAt)
  const all = { ...a, ...b }
  for (const [name, memory] of Object.entries(a)) if (later(memory, all[name] ?? memory)) all[name] = memory
  return all
}
