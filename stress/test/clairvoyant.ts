// A client that knows everything: it asks each host exactly when it will be answered, the one with the most left to do first. Measures the oracle.
import { DEFAULTS } from '@avocet/core/store'
import { simulatedWeb, VirtualClock, type HostSpec, type SimulatedWeb, type SiteModel } from '@avocet/simulator'
import { capacityGate, type CapacityGate } from '../../packages/simulator/src/site-model/capacity.ts'
import { latenciesOf } from '../oracle/makespan.ts'

/** New connections take a millisecond, idle ones none: what was told to be served then is asked for so much later. Ms. */
const MARGIN_MS = 5

interface Work {
  readonly host: HostSpec
  readonly urls: readonly string[]
  readonly latencies: readonly number[]
  readonly gates: readonly CapacityGate[]
  asked: number
  inFlight: number
  /** Virtual ms before which it would refuse. */
  notBefore: number
}

/** Asks the live hosts of `model` for all pages with `slots` exchanges in flight; resolves to ms taken. */
export async function clairvoyant(model: SiteModel, slots: number): Promise<{ tookMs: number; web: SimulatedWeb }> {
  const clock = new VirtualClock({ startAt: 0 })
  const web = simulatedWeb(model, { clock })
  const works = model.hosts.filter(({ death }) => death === undefined).map((host) => workAt(host, model))
  let free = slots
  let wake: Disposable | undefined
  let left = works.reduce((sum, { urls }) => sum + urls.length, 0)
  await clock.run(
    () =>
      new Promise<void>((resolve) => {
        const end = (work: Work): void => {
          free++
          left--
          work.inFlight--
          if (left === 0) resolve()
          else fill()
        }
        const fill = (): void => {
          while (free > 0) {
            const work = next(works, clock.now())
            if (work === undefined) break
            free--
            ask(web, work, () => end(work))
          }
          wake?.[Symbol.dispose]()
          const now = clock.now()
          let wakeAt = Infinity
          for (const work of works) if (isOpen(work) && work.notBefore > now) wakeAt = Math.min(wakeAt, work.notBefore)
          if (free > 0) wake = clock.at(wakeAt, fill)
        }
        fill()
      }),
  )
  return { tookMs: clock.now(), web }
}

function workAt(host: HostSpec, model: SiteModel): Work {
  const urls = model.urls(host.name)
  const { ban, capacity } = host
  const gates = [
    ...(capacity === undefined ? [] : [capacityGate(capacity)]),
    ...(ban === undefined ? [] : [capacityGate({ law: 'sliding', requests: ban.requests, seconds: ban.windowSeconds })]),
  ]
  return { host, urls, latencies: latenciesOf(host, model.seed, urls.length), gates, asked: 0, inFlight: 0, notBefore: 0 }
}

/** The host with the longest way to go among those that answer now; it is counted as asked. */
function next(works: readonly Work[], now: number): Work | undefined {
  for (;;) {
    let longest: Work | undefined
    let longestMs = -1
    for (const work of works) {
      if (!isOpen(work) || work.notBefore > now) continue
      const restMs = wayToGo(work)
      if (restMs > longestMs) [longest, longestMs] = [work, restMs]
    }
    if (longest === undefined) return undefined
    const waitMs = longest.gates.reduce((most, gate) => Math.max(most, gate.take(now)), 0)
    if (waitMs === 0) return longest
    longest.notBefore = now + waitMs + MARGIN_MS
  }
}

function isOpen({ asked, urls, host, inFlight }: Work): boolean {
  // More in the queue of a host than it has workers would only hold slots.
  return asked < urls.length && (host.capacity?.law !== 'servers' || inFlight < host.capacity.servers)
}

function wayToGo({ asked, urls, host, latencies }: Work): number {
  const { capacity } = host
  const left = urls.length - asked
  const perSecond =
    capacity?.law === 'bucket' ? capacity.perSecond : capacity?.law === 'window' ? capacity.requests / capacity.seconds : Infinity
  const worker = capacity?.law === 'servers' ? (left * (latencies[asked] ?? 0)) / capacity.servers : 0
  return (left / perSecond) * 1_000 + worker + (latencies[asked] ?? 0)
}

function ask(web: SimulatedWeb, work: Work, over: () => void): void {
  const url = work.urls[work.asked++] ?? ''
  work.inFlight++
  web.fetch(
    { url, method: 'GET', headers: {}, limits: { ...DEFAULTS.timeLimits, firstByteMs: 60_000 }, privateAllowed: true },
    { sent() {}, headers: () => 'read', done: over, failed: over },
  )
}
