// Whole crawls with `polite()` on the named worlds, on virtual time: what the hosts felt, held against what a polite client owes them.
//
// In every world: no request during a Retry-After, no false timeouts beyond 1.5 % of the exchanges, no slot that is held asleep (there is none by
// construction: nothing here could count one). Where the oracle knows what a host can take, the share of it that was taken is printed as well.
import { crawl, memoryFrontier, spider } from '@avocet/core'
import { polite } from '@avocet/preset-polite'
import { mostAccepted, simulatedWeb, VirtualClock, WORLDS, type Felt, type SiteModel } from '@avocet/testkit'
import { rowOf, type Row } from './row.ts'

/** Not of control: content, sheer size, or measured by benches of their own. */
const LEFT_OUT = new Set(['quotes', 'shops', 'million', 'eighty-low', 'eighty-high', 'eight-hundred-shuffled'])
const QUICK = ['window-10-retry-after', 'slowing-25', 'flapping-half', 'offline-30s-silent']
const FULL_MS = 20 * 60_000
const QUICK_MS = 5 * 60_000

/** What came of one crawl. */
interface Ran {
  readonly attempts: number
  readonly falseTimeouts: number
  readonly duringRetryAfter: number
  readonly refusedPercent: number
  readonly deadAttempts: number
  /** Of what the oracle says that the hosts can take in this time; NaN where they take anything. */
  readonly taken: number
}

/** One crawl of `model` for `forMs`. */
export async function crawled(
  model: SiteModel,
  { seed, forMs }: { readonly seed: string; readonly forMs: number },
): Promise<Ran> {
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const pages = spider({ name: 'worlds', seeds: model.seeds(), handlers: { *start(page) { if (page.isHtml) yield* page.links() } } }) // prettier-ignore
  const plugins = polite({ maxRps: 100, rate: { maxInFlight: 64 } })
  const run = crawl({
    spider: pages,
    plugins,
    clock,
    fetcher: web,
    frontier: memoryFrontier(),
    randomSeed: seed,
    patienceMs: forMs,
  })
  const startedAt = clock.now()
  using _end = clock.at(startedAt + forMs, () => run.abort())
  await clock.run(() => run.run())
  const elapsedMs = clock.now() - startedAt
  return summedUp(model, { felt: (name) => web.felt(name), elapsedMs })
}

function summedUp(model: SiteModel, { felt, elapsedMs }: { felt: (host: string) => Felt; elapsedMs: number }): Ran {
  const all = model.hosts.map((host) => ({ host, felt: felt(host.name) }))
  const sum = (of: (felt: Felt) => number): number => all.reduce((total, { felt: one }) => total + of(one), 0)
  const limited = all.filter(({ host }) => host.capacity !== undefined)
  const could = limited.reduce(
    (total, { host }) => total + mostAccepted(host, { fromMs: 0, untilMs: elapsedMs, seed: model.seed }),
    0,
  )
  return {
    attempts: sum(({ attempts }) => attempts),
    falseTimeouts: sum(({ falseTimeouts }) => falseTimeouts),
    duringRetryAfter: sum(({ duringRetryAfter }) => duringRetryAfter),
    refusedPercent:
      (100 * sum(({ refused }) => refused)) /
      Math.max(
        1,
        sum(({ requests }) => requests),
      ),
    deadAttempts: sum(({ deadAttempts }) => deadAttempts),
    taken: limited.length === 0 ? Number.NaN : limited.reduce((total, { felt: one }) => total + one.served, 0) / could,
  }
}

/** The table: every world, or four of them. */
export async function worldsTable({
  seeds,
  quick = false,
}: {
  readonly seeds: number
  readonly quick?: boolean
}): Promise<readonly Row[]> {
  const names = quick ? QUICK : Object.keys(WORLDS).filter((name) => !LEFT_OUT.has(name))
  // Worlds are the same for every seed, and only chance differs: five say as much as twenty.
  const times = Math.min(seeds, quick ? 1 : 5)
  const rows: Row[] = []
  for (const name of names) {
    const ran: Ran[] = []
    for (let seed = 0; seed < times; seed++) {
      const model = WORLDS[name]?.()
      if (model !== undefined) ran.push(await crawled(model, { seed: `seed ${seed}`, forMs: quick ? QUICK_MS : FULL_MS }))
    }
    rows.push(...rowsOf(name, ran))
  }
  return rows
}

function rowsOf(name: string, ran: readonly Ran[]): Row[] {
  const of = (figure: (one: Ran) => number): number[] => ran.map(figure)
  const falsely = of(({ falseTimeouts, attempts }) => (100 * falseTimeouts) / Math.max(1, attempts))
  return [
    rowOf(`${name}: false timeouts`, '%', falsely, { most: 1.5 }),
    rowOf(
      `${name}: requests during a Retry-After`,
      '',
      of(({ duringRetryAfter }) => duringRetryAfter),
      { most: 0 },
    ),
    rowOf(
      `${name}: refused`,
      '%',
      of(({ refusedPercent }) => refusedPercent),
    ),
    ...(Number.isNaN(ran[0]?.taken ?? Number.NaN)
      ? []
      : [
          rowOf(
            `${name}: share taken of what it can take`,
            '',
            of(({ taken }) => taken),
          ),
        ]),
    ...((ran[0]?.deadAttempts ?? 0) === 0
      ? []
      : [
          rowOf(
            `${name}: exchanges with dead hosts`,
            '',
            of(({ deadAttempts }) => deadAttempts),
          ),
        ]),
  ]
}
