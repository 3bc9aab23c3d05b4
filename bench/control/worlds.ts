// Whole crawls with `polite()` on the named worlds, on virtual time: what the hosts felt, held against what a polite client owes them.
//
// In every world: false timeouts of at most 1.5 % of the exchanges; where a Retry-After is said, no request during it. (That no slot is held asleep is
// so by construction: nothing here could count one.) Where the oracle knows what a host can take, the share of it that was taken is printed as well,
// from the first second on, cold start and opening included.
import type { Plugin } from '@avocet/core'
import { polite, type PoliteOptions } from '@avocet/preset-polite'
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'
import { mostAccepted } from '@avocet/stress/oracle'
import { WORLDS } from '@avocet/stress/worlds'
import { politeCrawl, total, type Crawled, type PoliteCrawl } from './polite-crawl.ts'
import { rowsOn, type Row } from './row.ts'
import { seedsTo } from './seeded.ts'

/** Not of control: content, sheer size, or measured by benches of their own. */
const LEFT_OUT = new Set(['quotes', 'shops', 'million', 'eighty-low', 'eighty-high', 'eight-hundred-shuffled'])
const MINUTE_MS = 60_000
/** What changes of itself does so after twenty minutes. */
const CHANGING_MS = 40 * MINUTE_MS
const STEADY_MS = 15 * MINUTE_MS
const QUICK = ['window-10-retry-after', 'random-429-1', 'recovering-hang', 'offline-30s-silent', 'flapping-half']

/** What came of one crawl. */
interface Ran {
  readonly falseTimeouts: number
  readonly duringRetryAfter: number
  readonly refused: number
  readonly deadAttempts: number
  /** Of what the oracle says that the hosts can take in this time; NaN where they take anything. */
  readonly taken: number
}

interface Options {
  readonly seeds: number
  readonly quick?: boolean
  /** Default: `polite()`. */
  readonly policies?: (options: PoliteOptions) => readonly Plugin[]
}

/** The table: every world, or a few of them. */
export async function worldsTable({ seeds, quick = false, policies = polite }: Options): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const name of quick ? QUICK : Object.keys(WORLDS)) {
    const world = WORLDS[name]?.()
    if (world === undefined || LEFT_OUT.has(name)) continue
    const plugins = policies(rateFor(world))
    const ran: Ran[] = []
    for (const seed of seedsTo(isBusy(world) ? Math.ceil(seeds / 4) : seeds))
      ran.push(await ranIn(reseeded(world, seed), { seed, plugins }))
    rows.push(...rowsOf(name, world, ran))
  }
  return rows
}

/** A hundred thousand exchanges say more than twenty seeds of a few hundred. */
function isBusy({ hosts }: SiteModel): boolean {
  return hosts.length > 100 || hosts.some(({ pages }) => pages.kind === 'list' && pages.pages > 100_000)
}

/** The same hosts with another chance: latencies, refusals, phases. */
function reseeded({ spec }: SiteModel, seed: number): SiteModel {
  return siteModel({ ...spec, seed: `${spec.seed} ${seed}` })
}

async function ranIn(model: SiteModel, chosen: Pick<PoliteCrawl, 'seed' | 'plugins'>): Promise<Ran> {
  const forMs = model.hosts.some(isChanging) ? CHANGING_MS : STEADY_MS
  const ran = await politeCrawl(model, { ...chosen, forMs })
  const attempts = total(model, ran.felt, (one) => one.attempts)
  return {
    falseTimeouts: (100 * total(model, ran.felt, (one) => one.falseTimeouts)) / attempts,
    duringRetryAfter: total(model, ran.felt, (one) => one.duringRetryAfter),
    refused: (100 * total(model, ran.felt, (one) => one.refused)) / attempts,
    deadAttempts: total(model, ran.felt, (one) => one.deadAttempts),
    taken: takenOf(model, ran, forMs),
  }
}

function isChanging({ capacity, latencyChanges }: HostSpec): boolean {
  return latencyChanges !== undefined || (capacity !== undefined && 'changes' in capacity)
}

/** The preset's own rate, but where a capacity is to be found, or where all would be read before anything goes wrong. */
function rateFor({ hosts, clientOutages }: SiteModel): PoliteOptions {
  if (hosts.length === 1 && hosts[0]?.capacity !== undefined) return { rate: { maxRps: 100, maxInFlight: 64 } }
  const isUnhurried = clientOutages.length > 0 || hosts.some(({ outages, flapping }) => outages !== undefined || flapping)
  return isUnhurried ? { rate: { maxRps: 2 } } : {}
}

/** Only where one host is crawled from beginning to end: where pages run out, nothing more can be taken. */
function takenOf(model: SiteModel, { felt, elapsedMs }: Crawled, forMs: number): number {
  const [host] = model.hosts
  if (model.hosts.length > 1 || host?.capacity === undefined || elapsedMs < forMs) return Number.NaN
  return (100 * felt(host.name).served) / mostAccepted(host, { fromMs: 0, untilMs: elapsedMs, seed: model.seed })
}

function rowsOf(name: string, { hosts }: SiteModel, ran: readonly Ran[]): Row[] {
  const row = rowsOn(ran)
  const taken = row(`${name}: taken of what it can take`, (one) => one.taken, { unit: '%', worst: 'low' })
  return [
    row(`${name}: false timeouts`, ({ falseTimeouts }) => falseTimeouts, { unit: '%', atMost: 1.5 }),
    // Where it is never said, heeding it is no merit.
    ...(hosts.some(({ refusal }) => refusal?.retryAfter !== undefined)
      ? [row(`${name}: requests during a Retry-After`, ({ duringRetryAfter }) => duringRetryAfter, { atMost: 0 })]
      : []),
    row(`${name}: refused`, ({ refused }) => refused, { unit: '%' }),
    ...(Number.isNaN(taken.median) ? [] : [taken]),
    ...(ran.every(({ deadAttempts }) => deadAttempts === 0)
      ? []
      : [row(`${name}: exchanges with dead hosts`, (one) => one.deadAttempts)]),
  ]
}
