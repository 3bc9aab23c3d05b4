// Window laws against hosts that queue and never refuse: k workers, first come first served. Is the host used, and how long does anybody wait?
//
// As many requests as the law allows are always under way. Half a round trip there, the queue, the service, half a round trip back. After half of the
// time each service takes twice as long. Utilisation: share of the workers' time that was worked for us. Queueing: mean wait in service times.
import { limitOf, type WindowLaw, type WindowState } from '../../packages/plugin-aimd/src/window-law.ts'
import { vegasWindow } from '../../packages/plugin-aimd/src/laws/vegas-window.ts'
import { rowOf, rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

/** A host that queues. */
export interface QueueingHost {
  /** Workers; Infinity = it never queues. */
  readonly workers: number
  readonly serviceMs: number
  /** Standard deviation of the logarithm of service times. */
  readonly spread: number
}

/** What came of one half of the time. */
export interface Half {
  readonly utilisation: number
  readonly queueing: number
  /** Mean of the limit. */
  readonly limit: number
}

const ROUND_TRIP_MS = 50

/** A law as the binding keeps it, against one host. */
class Simulation {
  readonly #law: WindowLaw
  readonly #host: QueueingHost
  readonly #chance: () => number
  readonly #limits: { readonly maxInFlight: number }
  readonly #freeAt: number[]
  readonly #ends: { at: number; seq: number; sentAt: number }[] = []
  #state: WindowState
  #seq = 0
  #now = 0
  slowdown = 1
  answers = 0
  workedMs = 0
  waited = 0
  limitMs = 0

  constructor(
    law: WindowLaw,
    host: QueueingHost,
    { seed, maxInFlight }: { readonly seed: number; readonly maxInFlight: number },
  ) {
    this.#law = law
    this.#host = host
    this.#chance = seeded(seed)
    this.#limits = { maxInFlight }
    this.#freeAt = Array.from({ length: Number.isFinite(host.workers) ? host.workers : 0 }, () => 0)
    this.#state = law.fresh(this.#limits)
  }

  get limit(): number {
    return limitOf(this.#state, this.#limits)
  }

  get now(): number {
    return this.#now
  }

  /** Sends what may be sent, then lets the next answer come. */
  step(): void {
    while (this.#ends.length < this.limit) this.#send()
    const first = this.#ends.reduce((a, b) => (b.at < a.at ? b : a))
    this.#ends.splice(this.#ends.indexOf(first), 1)
    this.limitMs += this.limit * (first.at - this.#now)
    this.#now = first.at
    this.answers++
    const event = {
      now: first.at,
      seq: first.seq,
      lastSeq: this.#seq,
      inFlight: this.#ends.length,
      firstByteMs: first.at - first.sentAt,
    }
    this.#state = this.#law.answered(this.#state, event, this.#limits)
  }

  #send(): void {
    const { serviceMs, spread } = this.#host
    const normal = Math.sqrt(-2 * Math.log(1 - this.#chance())) * Math.cos(2 * Math.PI * this.#chance())
    // Mean 1, whatever the spread.
    const takesMs = this.slowdown * serviceMs * Math.exp(spread * normal - spread ** 2 / 2)
    const arrivesAt = this.#now + ROUND_TRIP_MS / 2
    let worker = 0
    for (let n = 1; n < this.#freeAt.length; n++) if ((this.#freeAt[n] ?? 0) < (this.#freeAt[worker] ?? 0)) worker = n
    const startsAt = Math.max(arrivesAt, this.#freeAt[worker] ?? 0)
    if (this.#freeAt.length > 0) this.#freeAt[worker] = startsAt + takesMs
    this.workedMs += takesMs
    this.waited += (startsAt - arrivesAt) / (this.slowdown * serviceMs)
    this.#ends.push({ at: startsAt + takesMs + ROUND_TRIP_MS / 2, seq: ++this.#seq, sentAt: this.#now })
  }
}

/** Both halves of `minutes`, the second with twice the service time. The first two minutes are not judged. */
export function windowRun(
  law: WindowLaw,
  host: QueueingHost,
  { seed, minutes, maxInFlight }: { readonly seed: number; readonly minutes: number; readonly maxInFlight: number },
): readonly [Half, Half] {
  const world = new Simulation(law, host, { seed, maxInFlight })
  const until = (ms: number): Half => {
    const [from, answers, worked, waited, limit] = [world.now, world.answers, world.workedMs, world.waited, world.limitMs]
    while (world.now < ms) world.step()
    const tookMs = world.now - from
    return {
      utilisation: (world.workedMs - worked) / (tookMs * host.workers),
      queueing: (world.waited - waited) / (world.answers - answers),
      limit: (world.limitMs - limit) / tookMs,
    }
  }
  const halfMs = minutes * 30_000
  until(120_000)
  const before = until(halfMs)
  world.slowdown = 2
  return [before, until(2 * halfMs)]
}

/** How long `pages` pages of a host that does not queue take under `law`, ms. */
export function shortCrawlMs(
  law: WindowLaw,
  host: QueueingHost,
  { seed, pages }: { readonly seed: number; readonly pages: number },
): number {
  const world = new Simulation(law, host, { seed, maxInFlight: 8 })
  while (world.answers < pages) world.step()
  return world.now
}

const HOSTS: readonly (QueueingHost & { readonly name: string })[] = [
  { name: '1 worker, 0.2 s', workers: 1, serviceMs: 200, spread: 0.3 },
  { name: '4 workers, 0.8 s', workers: 4, serviceMs: 800, spread: 0.3 },
  { name: '16 workers, 0.5 s', workers: 16, serviceMs: 500, spread: 0.3 },
]

const SLOW: QueueingHost = { workers: Infinity, serviceMs: 15_000, spread: 0.1 }
/** Twenty pages of 15 s one after the other. */
const ONE_BY_ONE_S = 300

/** Utilisation and queueing at `spare: 1`, judged, and at the default, published; and a short crawl of a slow host. */
export function windowTable({ seeds, quick = false }: { readonly seeds: number; readonly quick?: boolean }): readonly Row[] {
  const all = seedsTo(seeds)
  const short = all.map((seed) => shortCrawlMs(vegasWindow(), SLOW, { seed, pages: 20 }) / 1_000)
  return [
    ...[1, 0.5].flatMap((spare) => HOSTS.flatMap((host) => rowsOf({ spare, host, seeds: all, minutes: quick ? 30 : 80 }))),
    rowOf(`window vegas: 20 pages of a host that takes 15 s (one by one: ${String(ONE_BY_ONE_S)} s)`, short, {
      unit: 's',
      atMost: ONE_BY_ONE_S / 2,
    }),
  ]
}

function rowsOf({
  spare,
  host,
  seeds,
  minutes,
}: {
  readonly spare: number
  readonly host: QueueingHost & { readonly name: string }
  readonly seeds: readonly number[]
  readonly minutes: number
}): Row[] {
  const runs = seeds.map((seed) => windowRun(vegasWindow({ spare, max: 64 }), host, { seed, minutes, maxInFlight: 64 }))
  const isJudged = spare === 1
  return (['before', 'after'] as const).flatMap((when, half) => {
    const name = `window vegas spare ${String(spare)}: ${host.name}, ${when} service takes twice as long`
    const row = rowsOn(runs.map((run) => run[half] ?? run[0]))
    const [least, most] = isJudged ? [0.95, 1] : []
    return [
      row(`${name}: utilisation`, ({ utilisation }) => utilisation, { unit: 'of capacity', worst: 'low', atLeast: least }),
      row(`${name}: wait in the queue`, ({ queueing }) => queueing, { unit: 'service times', atMost: most }),
    ]
  })
}
