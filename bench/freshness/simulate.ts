// The law alone, by discrete events: pages are due, a host takes one every two seconds, and a visit sees whether its page has changed.
import { changeRate, FIRST_PRIOR } from '../../packages/plugin-freshness/src/change-rate.ts'
import { newHost } from '../../packages/plugin-freshness/src/host-learning.ts'
import { HostVisits } from '../../packages/plugin-freshness/src/host-visits.ts'
import { IndexedHeap } from '@avocet/core/store'
import { dueChanges, visitPrice, type PageRates } from '../../packages/plugin-freshness/src/visit-price.ts'
import type { WorldHost, WorldPage } from './world.ts'

/** Hours. */
export const LEARNED = 48
export const MEASURED_UNTIL = 96
export const UNTIL = 132
export const WITHIN = 10
export const AT_MOST = 24
const EACH = 2 / 3_600

/** Visits of a page. */
export interface Policy {
  /** After a visit at `now`: when it is due again, and what else is due now. */
  visited(page: WorldPage, changed: boolean, now: number): { readonly at: number; readonly wake?: readonly number[] }
  /** When it is due for a sign. */
  sign?(page: WorldPage, now: number): number | undefined
}

/** Hours of delay of the changes that were measured, how many they are, and visits in that time. */
export interface Measured {
  delay: number
  changes: number
  visits: number
}

/** In hours. */
export function meanDelay(all: readonly Measured[]): number {
  return all.reduce((sum, { delay }) => sum + delay, 0) / all.reduce((sum, { changes }) => sum + changes, 0)
}

export function simulate({ pages }: WorldHost, policy: Policy): Measured {
  const states = pages.map((page) => ({ page, seen: 0, heapKey: 0, heapOrder: page.id, heapIndex: -1 }))
  const queue = new IndexedHeap<(typeof states)[number]>()
  const signs = pages.flatMap((page) => page.signs.map((at) => ({ page, at }))).sort((a, b) => a.at - b.at)
  let sign = 0
  const measured: Measured = { delay: 0, changes: 0, visits: 0 }
  const hasten = (id: number, at: number): void => {
    const state = states[id - 1]
    if (state !== undefined && state.heapKey > at) queue.move(state, at)
  }
  for (const state of states) queue.push(state)
  for (let now = 0; ;) {
    const state = queue.peek()
    if (state === undefined) break
    now = Math.max(now + EACH, state.heapKey)
    for (; (signs[sign]?.at ?? Infinity) <= now; sign++) {
      const each = signs[sign]
      const moment = each && policy.sign?.(each.page, each.at)
      if (each && moment !== undefined) hasten(each.page.id, moment)
    }
    if (now > UNTIL) break
    const { changes } = state.page
    const from = state.seen
    for (; (changes[state.seen] ?? Infinity) <= now; state.seen++) {
      const change = changes[state.seen] ?? 0
      if (change < LEARNED || change >= MEASURED_UNTIL) continue
      measured.changes++
      measured.delay += now - change
    }
    if (now >= LEARNED && now < MEASURED_UNTIL) measured.visits++
    const { at: next, wake = [] } = policy.visited(state.page, state.seen > from, now)
    queue.move(state, next)
    for (const other of wake) hasten(other, now)
  }
  return measured
}

/** The law. `perHour`: visits of the host, if they are others than the budget. */
export function adaptive(perHour?: number): Policy {
  const host = new HostVisits({ within: WITHIN, atMost: AT_MOST }, newHost(0))
  const digests = new Map<number, number>()
  if (perHour !== undefined) host.mostPerHour = perHour
  return {
    visited(page, changed, now) {
      const digest = (digests.get(page.id) ?? 0) + Number(changed)
      digests.set(page.id, digest)
      host.saw({ id: page.id, url: page.id, handler: page.kind, digest, now })
      return { at: host.nextAt(page.id, now), wake: host.woken(now) }
    },
    sign: (page, now) => host.sign({ url: page.id, at: now, now })?.dueAt,
  }
}

/** Knows the rates, also of bursts, and no moment. */
export function oracle({ pages, burstRate }: WorldHost, visitsPerHour: number, atMost = AT_MOST): Policy {
  const rates = pages.map(({ rate }) => ({ own: rate + burstRate, all: rate + burstRate }))
  const price = visitPrice(rates, { budget: visitsPerHour, least: 1 / atMost, most: 1e3 })
  return fixed((page) => Math.min(atMost, dueChanges(page.rate + burstRate, price) / (page.rate + burstRate)))
}

export function uniform({ pages }: WorldHost, visitsPerHour: number): Policy {
  return fixed(() => pages.length / visitsPerHour)
}

function fixed(interval: (page: WorldPage) => number): Policy {
  const begun = new Set<number>()
  return {
    visited(page, _changed, now) {
      const hours = interval(page)
      if (begun.has(page.id)) return { at: now + hours }
      begun.add(page.id)
      return { at: now + hours * ((page.id * 0.618_033_988_749_895) % 1) }
    },
  }
}

/** A posterior of each URL by itself, with the same split. */
export function perUrl({ pages }: WorldHost, visitsPerHour: number): Policy {
  const seen = new Map(pages.map(({ id }) => [id, { at: 0, changes: 0, changedHours: 0, quietHours: 0 }]))
  const bounds = { budget: visitsPerHour, least: 1 / AT_MOST, most: 10 / WITHIN }
  let [price, visits] = [1, 0]
  return {
    visited(page, changed, now) {
      const state = seen.get(page.id)
      if (state === undefined) throw new RangeError(`expected a page of the host, got ${page.id}`)
      const isFirst = state.at === 0
      if (!isFirst) {
        const hours = now - state.at
        if (changed) {
          state.changes++
          state.changedHours += hours
        } else state.quietHours += hours
      }
      state.at = now
      if (visits++ % Math.ceil(pages.length / 8) === 0)
        price = visitPrice(
          [...seen.values()].map((each) => same(changeRate(each, FIRST_PRIOR))),
          bounds,
        )
      const rate = changeRate(state, FIRST_PRIOR)
      const interval = Math.min(AT_MOST, Math.max(WITHIN / 10, dueChanges(rate, price) / rate))
      return { at: now + interval * (isFirst ? 0.5 + ((page.id * 0.618_033_988_749_895) % 1) : 1) }
    },
  }
}

function same(rate: number): PageRates {
  return { own: rate, all: rate }
}
