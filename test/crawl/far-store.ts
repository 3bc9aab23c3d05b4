// A store as if on another machine, for tests: a frontier in memory, with a tenure that the test ends and begins anew.
import { memoryFrontier } from 'avocet'
import type { CrawlSpec, Frontier } from '@avocet/core/store'
import type { VirtualClock } from '@avocet/simulator'

/** The store, as one process sees it. */
export interface FarStore {
  readonly frontier: Frontier
  /** Hosts that were leased since the process last signed in. */
  readonly leased: ReadonlySet<string>
  /** From `at` on (epoch ms) nothing may be sent. */
  holdUntil(at: number): void
  /** Others had the hosts meanwhile, and have them for so long: what this process leases from now on is its own, for good. */
  signInAnew(othersHoldMs?: number): Promise<void>
  /** The same while the process holds nothing: in the call that leases its first hosts. */
  signInWithNothing(): void
}

/** On virtual time. `rest`: what the test puts in place of calls of the frontier. */
export function farStore(clock: VirtualClock, rest: (frontier: Frontier) => Partial<Frontier> = () => ({})): FarStore {
  const inner = memoryFrontier()
  const leased = new Set<string>()
  let spec: CrawlSpec | undefined
  let heldUntil = Infinity
  let term = 1
  let heldElsewhere = 0
  const sharing: Frontier['sharing'] = {
    ...{ news: async () => [], changedElsewhere: () => false, share: () => undefined },
    tenure: { now: () => clock.now(), heldUntil: () => heldUntil, term: () => term },
  }
  const far: Frontier = {
    ...inner,
    sharing,
    open: (opened, now) => inner.open((spec = opened), now),
    async lease(want) {
      const result = await inner.lease(want)
      for (const { hostKey } of result.leases) leased.add(hostKey)
      return { ...result, heldElsewhere }
    },
  }
  return {
    frontier: { ...far, ...rest(far) },
    leased,
    holdUntil(at) {
      heldUntil = at
    },
    signInWithNothing() {
      term++
    },
    async signInAnew(othersHoldMs = 0) {
      leased.clear()
      term++
      heldUntil = Infinity
      // A run that was never closed is one that died: what it held is free.
      if (spec !== undefined) await inner.open(spec, clock.now())
      const { leases } = await inner.lease({ now: Infinity, hosts: 1_000, requestsPerHost: 0 })
      const rest = { readyAt: clock.now() + othersHoldMs, memory: {} }
      heldElsewhere = leases.length
      clock.at(rest.readyAt, () => {
        heldElsewhere = 0
        void inner.release(leases.map((lease) => ({ lease, rest })))
      })
    },
  }
}
