// All hostile behaviours at once beside five healthy hosts, on real sockets:
// `npm run hostile [-- [--floods | --together] --only NAME,… | --alone | --floods] [--json]`.
//
// First the healthy hosts alone, then with all rows of the table: every healthy page once, answers as quick as before, no block of the event loop,
// bounded memory, nothing let in, a sound store, and each row as it expects. Prints `N of N`, rows and bars; fails unless all hold.
// --only: these rows, each for itself, or --together. --alone: every row for itself, and its memory. --floods: rows of many hosts, one after the other,
// beside the healthy ones; with --only some of them.
import { HOSTILE_FLOODS, HOSTILE_ROWS, missesOf, type HostileAccount, type HostileRow } from '@avocet/stress/hostile'
import type { Figures } from './crawl.ts'
import { ownMs } from './lag.ts'
import { runCrawl, startHealthy, startHostile, type Healthy } from './processes.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('hostile', {
  options: {
    only: { type: 'string' },
    alone: { type: 'boolean', default: false },
    floods: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '120' },
    json: { type: 'boolean', default: false },
  },
})

/** What one thing came to. */
interface Verdict {
  readonly name: string
  readonly misses: readonly string[]
  readonly got: string
}

const MOST = { blockMs: 100, peakMib: 512, slowerMs: 50, aloneMib: 96 } as const
/** A row alone: enough for all of its attempts but the late ones. */
const ALONE = { seconds: 30, patienceSeconds: 6 } as const

const verdicts: Verdict[] = []
if (values.floods) await floods(chosen(HOSTILE_FLOODS))
else if (values.only !== undefined && !values.together) await each(chosen([...HOSTILE_ROWS, ...HOSTILE_FLOODS]))
else if (values.alone) await each(HOSTILE_ROWS)
else await together(chosen(HOSTILE_ROWS))

const held = verdicts.filter(({ misses }) => misses.length === 0).length
if (values.json) console.log(JSON.stringify({ schema: 1, held, of: verdicts.length, verdicts }, undefined, 2))
else console.log(`${String(held)} of ${String(verdicts.length)}`)
process.exitCode = held === verdicts.length ? 0 : 1

/** Those of `rows` that --only names. */
function chosen(rows: readonly HostileRow[]): readonly HostileRow[] {
  const wanted = values.only?.split(',') ?? rows.map(({ name }) => name)
  const unknown = wanted.find((name) => !rows.some((row) => row.name === name))
  if (unknown !== undefined) throw new Error(`expected --only to name rows of the table, got ${unknown}`)
  return rows.filter(({ name }) => wanted.includes(name))
}

function tell(verdict: Verdict): void {
  verdicts.push(verdict)
  if (values.json) return
  const { name, misses, got } = verdict
  console.log(`${misses.length === 0 ? 'ok  ' : 'MISS'} ${name.padEnd(28)} ${got}`)
  for (const miss of misses) console.log(`       expected ${miss}`)
}

/** All at once. */
async function together(rows: readonly HostileRow[]): Promise<void> {
  const healthy = await startHealthy()
  try {
    const alone = await healthyAlone(healthy)
    const pages = healthy.asked()
    await beside(healthy, { rows, alone, pages: new Set(pages).size })
  } finally {
    await healthy.close()
  }
}

/** Rows of many hosts, one after the other. */
async function floods(rows: readonly HostileRow[]): Promise<void> {
  const healthy = await startHealthy()
  try {
    const alone = await healthyAlone(healthy)
    const pages = new Set(healthy.asked()).size
    for (const row of rows) await beside(healthy, { rows: [row], alone, pages })
  } finally {
    await healthy.close()
  }
}

/** The crawl that all others are compared with. */
async function healthyAlone(healthy: Healthy): Promise<Figures> {
  const hostile = await startHostile([])
  try {
    const { seeds, hosts } = healthy
    return await runCrawl({ plan: hostile.plan, healthy: { seeds, hosts }, seconds: 120, patienceSeconds: 5 })
  } finally {
    hostile.close()
  }
}

async function beside(
  healthy: Healthy,
  { rows, alone, pages }: { readonly rows: readonly HostileRow[]; readonly alone: Figures; readonly pages: number },
): Promise<void> {
  const hostile = await startHostile(rows.map(({ name }) => name))
  try {
    const { seeds, hosts } = healthy
    const seconds = Number(values.seconds)
    const figures = await runCrawl({ plan: hostile.plan, healthy: { seeds, hosts }, seconds, patienceSeconds: 30 })
    const account = await hostile.account()
    for (const row of rows) judge(row, figures, account)
    bars(rows, { figures, alone, pages, asked: healthy.asked(), account })
  } finally {
    hostile.close()
  }
}

/** Rows for themselves, each in a process of its own. */
async function each(rows: readonly HostileRow[]): Promise<void> {
  const hostile = await startHostile(rows.map(({ name }) => name))
  const { plan } = hostile
  const nobody = { seeds: [], hosts: [] }
  try {
    for (const row of rows) {
      const before = (await hostile.account()).canary
      const figures = await runCrawl({ plan, row: row.name, healthy: nobody, ...ALONE })
      const account = await hostile.account()
      const overMib = figures.peakMib - figures.baseMib
      const mostMib = row.flood?.mostPeakMib ?? MOST.aloneMib
      const [block] = figures.blocks
      judge(row, figures, account, [
        ...(overMib <= mostMib ? [] : [`at most ${String(mostMib)} MiB over the baseline, got ${overMib.toFixed(0)}`]),
        ...(ownMs(block) <= MOST.blockMs ? [] : [`no block over ${String(MOST.blockMs)} ms, got ${ownMs(block).toFixed(0)}`]),
        ...(account.canary === before ? [] : [`no connection to the canary, got ${String(account.canary - before)}`]),
        ...storeMisses(figures),
      ])
    }
  } finally {
    hostile.close()
  }
}

function judge(row: HostileRow, figures: Figures, account: HostileAccount, more: readonly string[] = []): void {
  const seen = figures.seen[row.name]
  const felt = account.rows[row.name]
  if (seen === undefined || felt === undefined) throw new Error(`row ${row.name} was not played`)
  const figuresOf = [
    `${String(felt.requests)} requests`,
    `${String(seen.pageCount)} pages`,
    ...(seen.known > 0 ? [`${String(seen.known)} known`] : []),
    ...Object.keys(seen.ends).slice(0, 4),
    ...(more.length > 0 || values.only !== undefined
      ? [`+${(figures.peakMib - figures.baseMib).toFixed(0)} MiB`, `${ownMs(figures.blocks[0]).toFixed(0)} ms`]
      : []),
  ]
  tell({
    name: row.name,
    got: figuresOf.join(', '),
    misses: [...missesOf(row, { seen, felt, report: figures.report }), ...more],
  })
}

function storeMisses({ store }: Figures): readonly string[] {
  return [
    ...(store.integrity === 'ok' ? [] : [`a sound store, got ${store.integrity}`]),
    ...(store.unsettled === 0 ? [] : [`every request waiting or settled, got ${String(store.unsettled)} that are neither`]),
  ]
}

/** What holds for the crawl as a whole. */
function bars(
  rows: readonly HostileRow[],
  {
    figures,
    alone,
    pages,
    asked,
    account: { canary, ledInside },
  }: {
    readonly figures: Figures
    readonly alone: Figures
    readonly pages: number
    readonly asked: readonly string[]
    readonly account: HostileAccount
  },
): void {
  const name = rows.length === 1 ? `${rows[0]?.name ?? ''}: ` : ''
  const bar = (what: string, got: string, ...misses: readonly (string | false)[]): void =>
    tell({ name: name + what, got, misses: misses.filter((miss) => miss !== false) })
  const twice = asked.length - new Set(asked).size
  const share = rows[0]?.flood?.healthyShare ?? 1
  bar(
    'healthy pages',
    `${String(new Set(asked).size)} of ${String(pages)}, ${String(twice)} twice, after ${figures.healthy.doneSeconds.toFixed(0)} s (alone ${alone.healthy.doneSeconds.toFixed(0)} s)`,
    new Set(asked).size < pages * share && `all ${String(pages)} healthy pages`,
    twice > 0 && 'no healthy page twice',
  )
  const slowerMs = figures.healthy.p99Ms - alone.healthy.p99Ms
  bar(
    'healthy answers',
    `${figures.cpuSeconds.toFixed(0)} s of CPU, ${(figures.stolenMs / 1_000).toFixed(0)} s stolen; p99 ${figures.healthy.p99Ms.toFixed(0)} ms, alone ${alone.healthy.p99Ms.toFixed(0)} ms; p50 ${figures.healthy.p50Ms.toFixed(0)} and ${alone.healthy.p50Ms.toFixed(0)} ms`,
    slowerMs > MOST.slowerMs && `p99 at most ${String(MOST.slowerMs)} ms slower, got ${slowerMs.toFixed(0)}`,
  )
  const [block] = figures.blocks
  bar(
    'event loop',
    figures.blocks
      .slice(0, 8)
      .map(
        (one) =>
          `${ownMs(one).toFixed(0)} ms, CPU ${one.cpuMs.toFixed(0)} (${one.atMs < 3_000 ? 'start: ' : ''}${one.about.slice(0, 4).join(' ') || 'nothing'})`,
      )
      .join(', ') + `; alone ${ownMs(alone.blocks[0]).toFixed(0)} ms`,
    ownMs(block) > MOST.blockMs && `no block over ${String(MOST.blockMs)} ms, got ${ownMs(block).toFixed(0)}`,
  )
  const mostMib = rows[0]?.flood?.mostPeakMib ?? MOST.peakMib
  bar(
    'memory',
    `peak ${figures.peakMib.toFixed(0)} MiB, alone ${alone.peakMib.toFixed(0)} MiB`,
    figures.peakMib > mostMib && `a peak of at most ${mostMib.toFixed(0)} MiB`,
  )
  bar(
    'canary',
    `${String(canary)} connections${ledInside.length > 0 ? ` (${ledInside.join(' ')})` : ''}`,
    canary > 0 && 'no connection to the canary',
  )
  bar(
    'store',
    `${figures.store.integrity}, ${String(figures.store.known)} known, ${figures.store.mib.toFixed(0)} MiB; ended ${figures.ended}`,
    ...storeMisses(figures),
  )
}
