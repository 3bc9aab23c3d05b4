// A year of the price job on virtual time: whether its store and its memory stay as they are, and what a year of 800 shops takes.
//
// Usage: npm run bench:year -- [--shops 20] [--products 5] [--days 365] [--keep FOLDER]
//
// Each product is visited every hour, each page yields an item, and prices change every few days; one sink takes all items. The store is a file. A row a month:
// what the file takes, what of it is used, resident memory, items there and items ever made. Fails where the file at the end is larger than 1.2 times that after
// 40 days, where the memory of the last month is above 1.15 times that of the second, where an item is missing at the sink, where `verify` finds a fault, or
// where `avocet status` of the store takes longer than 0.3 s (the fastest of seven, for other work on the machine only adds). From the sizes
// that the store tells, the last lines tell what 800 shops with 100 products take.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sink } from '@avocet/core/sink'
import { openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { crawl, spider, type Page } from 'avocet'
import Database from 'better-sqlite3'
import { publishedTree } from '../../scripts/published.ts'
import { toldOptions } from '../told-options.ts'
import { shops } from './shops.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_GROWTH = 1.2
const MAX_MEMORY = 1.15
const MAX_STATUS_MS = 300
const STATUS_RUNS = 7
const MB = 2 ** 20
/** The job of the README. */
const REAL = { shops: 800, products: 100 }

const { values } = toldOptions('bench:year', {
  options: {
    shops: { type: 'string', default: '20' },
    products: { type: 'string', default: '5' },
    days: { type: 'string', default: '365' },
    keep: { type: 'string' },
  },
})
const [shopCount, products, days] = [Number(values.shops), Number(values.products), Number(values.days)]
if (![shopCount, products, days].every((n) => Number.isInteger(n) && n > 0) || days < 80) {
  console.error('bench:year: expected whole numbers for --shops and --products, and 80 or more for --days')
  process.exit(2)
}
const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'avocet-year-')) : resolve(values.keep)
const path = join(folder, 'year.db')

/** What there was at the end of a day. */
interface Sample {
  readonly day: number
  readonly fileBytes: number
  readonly usedBytes: number
  readonly rssBytes: number
  readonly kept: number
  readonly ever: number
}

const samples: Sample[] = []
let taken = 0

function sample(day: number): void {
  const db = new Database(path, { readonly: true })
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(db.pragma(name, { simple: true })),
  )
  const { items, items_gone: gone } = db.prepare('SELECT items, items_gone FROM crawl').get() as {
    items: number
    items_gone: number
  }
  db.close()
  const usedBytes = ((pages ?? 0) - (free ?? 0)) * (size ?? 0)
  const sampled = {
    day,
    fileBytes: statSync(path).size,
    usedBytes,
    rssBytes: process.memoryUsage.rss(),
    kept: items - gone,
    ever: items,
  }
  samples.push(sampled)
  if (day % 30 === 10) console.log(rowOf(sampled))
}

function rowOf(sampled: Sample): string {
  const { day, fileBytes, usedBytes, rssBytes, kept, ever } = sampled
  const cells = [fileBytes / MB, usedBytes / MB, rssBytes / MB].map((mb) => mb.toFixed(1).padStart(9))
  return `${String(day).padStart(4)} ${cells.join('')} ${String(kept).padStart(9)} ${String(ever).padStart(9)}`
}

async function crawled(): Promise<void> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  // One process: heartbeats every 250 ms, which a store for several has, would be nine tenths of the work.
  const { sharing: _beats, ...frontier } = sqlite(path, { clock, synchronous: 'normal' })
  const seeds = Array.from(
    { length: shopCount * products },
    (_, n) => `https://shop-${n % shopCount}.test/p/${Math.floor(n / shopCount)}`,
  )
  const run = crawl({
    spider: spider({
      name: 'year',
      seeds,
      items: { key: 'sku', watch: ['price', 'stock'] },
      handlers: {
        *start(page: Page) {
          const [sku = '', price = '', stock = ''] = ['sku', 'price', 'stock'].map(
            (name) => new RegExp(`class="${name}">([^<]*)`).exec(page.body)?.[1],
          )
          yield { url: page.url.href, title: page.title, sku, price, stock, currency: 'EUR' }
        },
      },
    }),
    policies: polite({ rate: 'none' }),
    recrawl: [{ everyMs: HOUR_MS }],
    sinks: [sink((items) => void (taken += items.length), { name: 'table' })],
    maxTimeMs: days * DAY_MS,
    fetcher: shops(clock),
    ...{ frontier, clock, randomSeed: 'year' },
  })
  for (let day = 1; day < days; day++) clock.at(startedAt + day * DAY_MS, () => sample(day))
  const report = await clock.run(() => run.run())
  sample(days)
  await frontier.close()
  console.log(
    `\n${report.run.pages} visits, ${report.run.failed} failed; ${report.run.changes} changes; ${report.problems.length} problems`,
  )
  for (const { message } of report.problems) console.log(`  ${message}`)
}

/** The fastest of some: other work on the machine only adds. */
async function statusMs(): Promise<number> {
  const command = join(await publishedTree(), 'packages/cli/bin/avocet.js')
  const runs = Array.from({ length: STATUS_RUNS }, () => {
    const begun = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [command, 'status', '--store', path], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`avocet status: exit code ${String(status)}: ${stderr}`)
    return performance.now() - begun
  })
  return Math.min(...runs)
}

let missed = 0

function judge(what: string, got: number, most: number, unit = ''): void {
  const isMet = got <= most
  if (!isMet) missed++
  console.log(`${what.padEnd(46)} ${got.toFixed(2).padStart(8)}${unit}   at most ${most}${unit}   ${isMet ? 'held' : 'MISSED'}`)
}

function mean(from: number, to: number): number {
  const some = samples.filter(({ day }) => day > from && day <= to).map(({ rssBytes }) => rssBytes)
  return some.reduce((sum, bytes) => sum + bytes, 0) / some.length
}

console.log(`${shopCount} shops × ${products} products, hourly for ${days} days: ${shopCount * products * 24 * days} visits\n`)
console.log(' day  file MB  used MB   RSS MB     items      ever')
const begunAt = performance.now()
await crawled()
console.log(
  `${((performance.now() - begunAt) / 1_000).toFixed(0)} s, ${((performance.now() - begunAt) / (samples.at(-1)?.ever ?? 1)).toFixed(3)} ms a visit\n`,
)
const [early, last] = [samples.find(({ day }) => day === 40), samples.at(-1)]
const { faults } = await verifyStore(path)
judge('file at the end ÷ file after 40 days', (last?.fileBytes ?? Infinity) / (early?.fileBytes ?? 1), MAX_GROWTH)
judge('RSS of the last 30 days ÷ days 31 to 60', mean(days - 30, days) / mean(30, 60), MAX_MEMORY)
judge('items that the sink lacks', (last?.ever ?? Infinity) - taken, 0)
judge('faults of the store', faults.length, 0)
judge('avocet status', await statusMs(), MAX_STATUS_MS, ' ms')
await extrapolate()
if (values.keep === undefined) rmSync(folder, { recursive: true })
process.exitCode = missed === 0 ? 0 : 1

/** What the same job takes at the size of the README's. */
async function extrapolate(): Promise<void> {
  const reader = await openReader(path)
  const { items = 0, changes = 0, requests = 0, free = 0 } = (await reader.sizes?.(0)) ?? {}
  const made = (await reader.changes({})).length
  await reader.close()
  const pages = shopCount * products
  const perItem = items / Math.max(1, last?.kept ?? 1)
  const perChange = changes / Math.max(1, made)
  const changesADay = made / days / pages
  const real = REAL.shops * REAL.products
  const itemsBytes = real * 24 * 31 * perItem
  const changeBytes = real * changesADay * perChange
  const pageBytes = (requests / pages) * real
  console.log(
    `\nbytes: ${perItem.toFixed(0)} an item, ${perChange.toFixed(0)} a change, ${(requests / pages).toFixed(0)} a page with its host; ${(free / MB).toFixed(1)} MB free pages`,
  )
  console.log(
    `${REAL.shops} shops × ${REAL.products} products hourly: ${(real * 24).toLocaleString('en')} items a day, ${((real * 24 * perItem) / MB).toFixed(0)} MB a day for 30 days, then none`,
  )
  const after = itemsBytes + pageBytes + 365 * changeBytes
  console.log(
    `after a year: ${(after / 2 ** 30).toFixed(1)} GB (items ${(itemsBytes / 2 ** 30).toFixed(1)}, changes ${((365 * changeBytes) / 2 ** 30).toFixed(1)}, pages and hosts ${(pageBytes / 2 ** 30).toFixed(2)}); without keep ${((real * 24 * 365 * perItem + pageBytes + 365 * changeBytes) / 2 ** 30).toFixed(0)} GB`,
  )
}
