// Timeout laws against eight hosts: how often a law gives up on an answer that would have come within the minute, and how long it waits.
//
// 600 pages a host, four in flight once it has answered (one before, and after two failures in a row), each page asked for once. A host that
// never answered is given up after three probes, as core does. The hard maximum is 60 s, as for a user who raised `timeLimits`.
import { fixedTimeout, quantile, type TimeoutLaw, type TimeoutState } from '@avocet/plugin-adaptive-timeout'
import { rowOf, rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

type Chance = () => number

/** A host: how long page `n` takes to the first byte, ms; Infinity = no answer ever. */
interface Scenario {
  readonly name: string
  readonly tookMs: (n: number, chance: Chance) => number
}

/** What came of one host under one law. */
export interface Ran {
  /** Given up, and would have come within the minute; % of the last 200 pages, and of all. */
  readonly falseLate: number
  readonly falseAll: number
  readonly meanMs: number
  /** Given up as dead before it ever answered, although it lives. */
  readonly isLost: boolean
}

const PAGES = 600
const LATE = 200
const MINUTE_MS = 60_000
const BAR = 1.5

const lognormal = (medianMs: number, spread: number, chance: Chance): number => {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
  return medianMs * Math.exp(spread * normal)
}

const SLOW_FROM_COLD: Scenario = { name: '15 s median from cold', tookMs: (_, chance) => lognormal(15_000, 0.4, chance) }

const SCENARIOS: readonly Scenario[] = [
  { name: 'fast, 0.2 s', tookMs: (_, chance) => lognormal(200, 0.3, chance) },
  { name: 'slow, 8 s', tookMs: (_, chance) => lognormal(8_000, 0.4, chance) },
  { name: '10 % of pages 6 s, rest 0.4 s', tookMs: (_, chance) => lognormal(chance() < 0.1 ? 6_000 : 400, 0.2, chance) },
  { name: 'slows ×25 for good', tookMs: (n, chance) => lognormal(n < 200 ? 400 : 10_000, 0.3, chance) },
  { name: 'slows ×25, then as before', tookMs: (n, chance) => lognormal(n >= 200 && n < 400 ? 10_000 : 400, 0.3, chance) },
  SLOW_FROM_COLD,
  { name: 'heavy tail (1 s, σ 1.2)', tookMs: (_, chance) => lognormal(1_000, 1.2, chance) },
  { name: 'dies at page 300', tookMs: (n, chance) => (n < 300 ? lognormal(500, 0.3, chance) : Infinity) },
]

const LAWS: readonly TimeoutLaw[] = [quantile(), fixedTimeout({ ms: 10_000 })]

interface Page {
  readonly seq: number
  readonly endsAt: number
  readonly tookMs: number
  readonly timeoutMs: number
}

/** One host under one law. `maxMs`: hard maximum; what takes longer is nobody's false timeout. */
export function timeoutRun(
  law: TimeoutLaw,
  { tookMs }: Scenario,
  { seed, maxMs }: { readonly seed: number; readonly maxMs: number },
): Ran {
  const chance = seeded(seed)
  const host = new HostUnder(law, maxMs)
  const falsely: boolean[] = []
  let waitedMs = 0
  for (let n = 0; n < PAGES && host.makeRoom(); n++) {
    const page = host.ask(tookMs(n, chance))
    falsely.push(page.tookMs > page.timeoutMs && page.tookMs <= maxMs)
    waitedMs += page.timeoutMs
  }
  const meanMs = waitedMs / falsely.length
  // A host that is lost gives no page: every one of them was given up falsely.
  if (host.isLost) return { falseLate: 100, falseAll: 100, meanMs, isLost: true }
  return { falseLate: percent(falsely.slice(-LATE)), falseAll: percent(falsely), meanMs, isLost: false }
}

/** A host as core and the binding treat it: how many in flight, what is news, when it is given up. */
class HostUnder {
  readonly #law: TimeoutLaw
  readonly #maxMs: number
  readonly #underWay = new Set<Page>()
  readonly #state: TimeoutState
  #seq = 0
  #timedOutSeq = 0
  #proven = false
  #failures = 0
  #now = 0

  constructor(law: TimeoutLaw, maxMs: number) {
    this.#law = law
    this.#maxMs = maxMs
    this.#state = law.fresh()
  }

  get isLost(): boolean {
    return !this.#proven && this.#failures >= 3
  }

  /** Waits until another page may be asked for; false when none may, ever. */
  makeRoom(): boolean {
    while (this.#underWay.size >= (this.#proven && this.#failures < 2 ? 4 : 1)) this.#end(soonest(this.#underWay))
    return !this.isLost
  }

  ask(tookMs: number): Page {
    const around = { proven: this.#proven, failedAttempts: 0, prior: [] }
    const timeoutMs = Math.min(this.#maxMs, this.#law.timeoutMs(this.#state, around))
    const page = { seq: ++this.#seq, endsAt: this.#now + Math.min(tookMs, timeoutMs), tookMs, timeoutMs }
    this.#underWay.add(page)
    return page
  }

  #end(page: Page): void {
    this.#underWay.delete(page)
    this.#now = page.endsAt
    const isNews = page.seq > this.#timedOutSeq
    if (page.tookMs <= page.timeoutMs) {
      this.#law.inTime(this.#state, { tookMs: page.tookMs, isNews })
      this.#proven = true
      this.#failures = 0
      return
    }
    this.#law.timedOut(this.#state, { waitedMs: page.timeoutMs, isNews })
    if (isNews) this.#timedOutSeq = this.#seq
    this.#failures++
  }
}

/** All laws on all hosts; `quick`: only the default law. `holds` is about the default law, the others are there to compare. */
export function timeoutTable({ seeds, quick = false }: { readonly seeds: number; readonly quick?: boolean }): readonly Row[] {
  return LAWS.slice(0, quick ? 1 : LAWS.length).flatMap((law) => [
    ...SCENARIOS.flatMap((scenario) => rowsOf(law, scenario, seeds)),
    lostRow(law, seeds),
  ])
}

function rowsOf(law: TimeoutLaw, scenario: Scenario, seeds: number): Row[] {
  const runs = seedsTo(seeds).map((seed) => timeoutRun(law, scenario, { seed, maxMs: MINUTE_MS }))
  const name = `timeout ${law.name}: ${scenario.name}`
  const row = rowsOn(runs)
  const bar = { unit: '%', ...(law.name === 'quantile' && { atMost: BAR }) }
  return [
    // Of 200 pages one is 0.5 %: the worst of the last 200 is mostly luck, the worst of all 600 is not.
    row(`${name}: false timeouts, last 200`, ({ falseLate }) => falseLate, { ...bar, judged: 'median' }),
    row(`${name}: false timeouts, all 600`, ({ falseAll }) => falseAll, bar),
    row(`${name}: mean timeout`, ({ meanMs }) => meanMs / 1_000, { unit: 's' }),
  ]
}

/** Hosts with a median of 15 s that are lost before their first answer, when the hard maximum is core's 30 s. */
function lostRow(law: TimeoutLaw, seeds: number): Row {
  const lost = (round: number): number => {
    const runs = seedsTo(100).map((seed) => timeoutRun(law, SLOW_FROM_COLD, { seed: seed + 1_000 * round, maxMs: 30_000 }))
    return runs.filter(({ isLost }) => isLost).length
  }
  const rounds = seedsTo(Math.ceil(seeds / 5)).map(lost)
  return rowOf(`timeout ${law.name}: 15 s median, taken for dead, limit 30 s`, rounds, { unit: '%' })
}

function soonest(pages: ReadonlySet<Page>): Page {
  return [...pages].reduce((a, b) => (b.endsAt < a.endsAt ? b : a))
}

function percent(flags: readonly boolean[]): number {
  return (100 * flags.filter(Boolean).length) / flags.length
}
