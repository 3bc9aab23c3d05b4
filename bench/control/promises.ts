// What hosts are promised, whole crawls on virtual time: silence after a refusal, during a Retry-After and between two requests; and patience.
//
// All figures are read off the hosts' own logs. Connections take up to 0.4 s to open, so that at any refusal something is booked and not yet written:
// that has to go back. Promises are judged by the worst seed. How often there was something to
// keep stands beside them: a host that never refused was not spared.
import type { Plugin } from '@avocet/core'
import { polite, type PoliteOptions } from '@avocet/preset-polite'
import { siteModel, type Felt, type FeltRequest, type HostSpec, type SiteModel } from '@avocet/simulator'
import { politeCrawl, type Crawled, type PoliteCrawl } from './polite-crawl.ts'
import { rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

const HOST = 'promised.test'
const MINUTE_MS = 60_000
const OPEN_MS = 400
/** A hold ends after this, whatever is in flight (packages/plugin-aimd/src/pace.ts). */
const HOLD_MS = 5_000
const CRAWL_DELAY_MS = 2_000

interface Options {
  readonly seeds: number
  readonly quick?: boolean
  /** What keeps the promises. Default: `polite()`. */
  readonly policies?: (options?: PoliteOptions) => readonly Plugin[]
}

/** The table. */
export async function promisesTable(options: Options): Promise<readonly Row[]> {
  return [...(await silenceRows(options)), ...(await patienceRows(options))]
}

/** When nothing may be written. */
export async function silenceRows({ seeds, quick = false, policies = polite }: Options): Promise<readonly Row[]> {
  // A maximum that is in nobody's way.
  const plugins = policies({ rate: { maxRps: 100, maxInFlight: 64 } })
  const runs = seedsTo(seeds).map((seed) => ({ seed, plugins, openMs: OPEN_MS, forMs: (quick ? 5 : 10) * MINUTE_MS }))
  return [...(await holdRows(runs)), ...(await retryAfterRows(runs)), ...(await crawlDelayRows(runs))]
}

/** Healthy hosts that are slow: what law, breaker and core's own retiring make of them together. */
export async function patienceRows({ seeds, policies = polite }: Options): Promise<readonly Row[]> {
  const plugins = policies()
  const runs = seedsTo(seeds).map((seed) => ({ seed, plugins, forMs: 40 * MINUTE_MS, firstByteMs: MINUTE_MS }))
  const rows: Row[] = []
  for (const [name, host] of Object.entries(SLOW)) {
    const crawls: Crawled[] = []
    for (const run of runs) crawls.push(await politeCrawl(worldOf(run, host), run))
    const row = rowsOn(crawls)
    const bar = { unit: '%', atMost: 1.5 }
    // A host that is not asked any more at the end was lost: there is no share then, and the bar does not hold.
    rows.push(
      row(`${name}: false timeouts`, ({ felt }) => falseShare(felt(HOST)), bar),
      row(`${name}: false timeouts in the last quarter`, ({ late }) => falseShare(late), bar),
      row(`${name}: exchanges in the last quarter`, ({ late }) => late.attempts, { atLeast: 1 }),
    )
  }
  return rows
}

/** Refusals after 50 ms while pages take a second: at each of them much is in flight, and more is on its way. */
async function holdRows(runs: readonly PoliteCrawl[]): Promise<Row[]> {
  const latency = { law: 'lognormal', medianMs: 1_000, spread: 0.5 } as const
  const felt = await eachFelt(runs, (chance) => ({
    capacity: { law: 'bucket', perSecond: 8 + 4 * chance(), burst: 5 },
    refusal: { status: 429, latencyMs: 50 },
    latency,
  }))
  const row = rowsOn(felt.map(({ log, maxInFlight }) => ({ ...writtenInHolds(log), maxInFlight })))
  return [
    row('hold: requests written between the first 429 of an epoch and its end', ({ written }) => written, { atMost: 0 }),
    row('hold: epochs', ({ epochs }) => epochs, { atLeast: 1 }),
    row('hold: most in flight', ({ maxInFlight }) => maxInFlight, { atLeast: 2 }),
  ]
}

async function retryAfterRows(runs: readonly PoliteCrawl[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, host] of Object.entries(ASKING)) {
    const row = rowsOn(await eachFelt(runs, host))
    rows.push(
      row(`${name}: requests before it ended`, ({ duringRetryAfter }) => duringRetryAfter, { atMost: 0 }),
      row(`${name}: times it was said`, ({ refused }) => refused, { atLeast: 1 }),
    )
  }
  return rows
}

const ASKING: Readonly<Record<string, (chance: () => number) => Omit<HostSpec, 'name' | 'pages'>>> = {
  'Retry-After, window of 60 s': (chance) => ({
    capacity: { law: 'window', requests: 20 + Math.floor(80 * chance()), seconds: 60 },
    refusal: { status: 429, retryAfter: 'seconds' },
    latency: { law: 'lognormal', medianMs: 500, spread: 0.8 },
  }),
  'Retry-After as a date, window of 60 s': (chance) => ({
    capacity: { law: 'window', requests: 20 + Math.floor(80 * chance()), seconds: 60 },
    refusal: { status: 429, retryAfter: 'date' },
    latency: { law: 'lognormal', medianMs: 500, spread: 0.8 },
  }),
  '503 with Retry-After: 7, bucket': (chance) => ({
    capacity: { law: 'bucket', perSecond: 4 + 2 * chance(), burst: 5 },
    refusal: { status: 503, retryAfter: 'seconds', retryAfterSeconds: 7, latencyMs: 'as-served' },
    latency: { law: 'lognormal', medianMs: 500, spread: 0.8 },
  }),
}

async function crawlDelayRows(runs: readonly PoliteCrawl[]): Promise<Row[]> {
  const spaced = (): Omit<HostSpec, 'name' | 'pages'> => ({
    robots: { body: `User-agent: *\nCrawl-delay: ${CRAWL_DELAY_MS / 1_000}\n` },
    latency: { law: 'lognormal', medianMs: 800, spread: 1 },
  })
  const row = rowsOn(await eachFelt(runs, spaced))
  return [
    row('Crawl-delay: 2: requests sooner after one another', ({ log }) => tooSoon(log, CRAWL_DELAY_MS), { atMost: 0 }),
    row('Crawl-delay: 2: requests', ({ requests }) => requests, { atLeast: 10 }),
  ]
}

const SLOW: Readonly<Record<string, Omit<HostSpec, 'name' | 'pages'>>> = {
  'site of 15 s': { latency: { law: 'lognormal', medianMs: 15_000, spread: 0.4 } },
  'site that slows × 25 for good': {
    latency: { law: 'lognormal', medianMs: 400, spread: 0.3 },
    latencyChanges: [{ atMs: 10 * MINUTE_MS, factor: 25 }],
  },
}

function falseShare({ attempts, falseTimeouts }: Crawled['late']): number {
  return (100 * falseTimeouts) / attempts
}

async function eachFelt(
  runs: readonly PoliteCrawl[],
  host: (chance: () => number) => Omit<HostSpec, 'name' | 'pages'>,
): Promise<Felt[]> {
  const felt: Felt[] = []
  for (const run of runs) felt.push((await politeCrawl(worldOf(run, host(seeded(run.seed))), run)).felt(HOST))
  return felt
}

function worldOf({ seed }: PoliteCrawl, host: Omit<HostSpec, 'name' | 'pages'>): SiteModel {
  const pages = { kind: 'list', pages: 9_000, textBytes: 0 } as const
  return siteModel({ seed: `promises ${seed}`, hosts: [{ name: HOST, pages, ...host }] })
}

/**
 * Requests that reached the host while it was to be left alone: from the first refusal of an epoch until all that was in flight had ended, at most 5 s.
 * Refusals of what was sent before that first one belong to its epoch.
 */
export function writtenInHolds(log: readonly FeltRequest[]): { readonly epochs: number; readonly written: number } {
  const refusals = log
    .filter(({ status }) => status === 429 || status === 503)
    .map(({ at, endedAt = Infinity }) => ({ at, endedAt }))
  let [epochs, written, epochAt] = [0, 0, -Infinity]
  for (const { at, endedAt } of refusals.toSorted((a, b) => a.endedAt - b.endedAt)) {
    if (at < epochAt) continue
    epochs++
    epochAt = endedAt
    const ends = log.filter((one) => one.at < epochAt).map((one) => one.endedAt ?? Infinity)
    const holdEnd = Math.min(epochAt + HOLD_MS, Math.max(...ends))
    written += log.filter((one) => one.at >= epochAt && one.at < holdEnd).length
  }
  return { epochs, written }
}

/** Requests that came more than a millisecond sooner after the one before than `delayMs`. */
export function tooSoon(log: readonly FeltRequest[], delayMs: number): number {
  return log.filter(({ at }, n) => n > 0 && at - (log[n - 1]?.at ?? -Infinity) < delayMs - 1).length
}
