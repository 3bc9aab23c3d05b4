// Runs every example against a rough web through the built command, compares its items with what stands there, and prints a line each.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import priceWatchConfig from '../price-watch/avocet.config.ts'
import priceWatchSpider from '../price-watch/spider.ts'
import { crawlApi } from '../api-to-postgres/check.ts'
import { crawlApp } from '../browser-pages/check.ts'
import * as ownPlugin from '../own-plugin/test/world.ts'
import * as priceWatch from '../price-watch/test/world.ts'
import * as quotes from '../quotes/test/world.ts'
import * as sitemapShop from '../sitemap-shop/test/world.ts'
import { crawlFiles } from '../download-files/check.ts'
import { crawlWholeShop } from '../whole-shop/check.ts'
import { crawlMembers } from '../login/check.ts'
import { byCommand, type Example } from './by-command.ts'
import { onSimulatedWeb } from './on-simulated-web.ts'
import { compareHistories, watchShops } from './watch.ts'

/** One line of what came of it; `differences` is empty when all is as it should be. */
interface Outcome {
  readonly found: string
  readonly differences: readonly string[]
}

const EXAMPLES: Readonly<Record<string, () => Promise<Outcome>>> = {
  quotes: () => allItems(quotes),
  'price-watch': () => {
    const { world, commandWords, expectedItems } = priceWatch
    return allItems({ world, commandWords, expectedItems, ignored: ['seenAt'], exitCode: 5 })
  },
  'price-watch, 800 shops, a simulated hour': simulatedHour,
  'price-watch, killed in the middle': watched,
  'own-plugin': () => allItems(ownPlugin),
  'sitemap-shop': () => allItems(sitemapShop),
  'api-to-postgres, killed in the middle': apiToPostgres,
  'whole-shop': () => wholeShop(),
  'whole-shop, killed in the middle': () => wholeShop(30),
  'download-files': () => downloads(),
  'download-files, killed in the middle of one': () => downloads(22 * 2 ** 20),
  login: () => login(),
  'login, killed twice': () => login([60, 130]),
  'browser-pages': () => app(),
  'browser-pages, killed twice': () => app([20, 70]),
  'resume-for-weeks': () => itself('resume-for-weeks/main.ts'),
  'twelve-shops, an hour': () => itself('twelve-shops/main.ts'),
  'testing-a-spider': async () => {
    const { differences } = await itself('../node_modules/vitest/vitest.mjs', 'run', 'examples/testing-a-spider')
    return { found: 'its tests hold', differences }
  },
}

// Most of the time they wait for their sites, so two are checked at once.
const left = Object.entries(EXAMPLES).values()
await Promise.all([checkEach(left), checkEach(left)])

async function checkEach(examples: Iterable<[string, () => Promise<Outcome>]>): Promise<void> {
  for (const [name, check] of examples) {
    const startedAt = performance.now()
    const { found, differences } = await check()
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    const lines =
      differences.length === 0 ? [`${name}: ${found} (${seconds} s)`] : [`${name}: DIFFERS (${found})`, ...differences]
    console.log(lines.join('\n  '))
    if (differences.length > 0) process.exitCode = 1
  }
}

async function allItems(example: Example): Promise<Outcome> {
  const { exitCode, found, differences } = await byCommand(example)
  const isEmpty = found === 0 ? ['nothing was found'] : []
  return {
    found: `${String(found)} items, all that stand there and no other`,
    differences: [...differences, ...isEmpty, ...(exitCode === (example.exitCode ?? 0) ? [] : [`exit ${String(exitCode)}`])],
  }
}

/** `killAt`: bytes of the large file. */
async function downloads(killAt?: number): Promise<Outcome> {
  const { items, files, rows, kills, resumedAt, differences } = await crawlFiles(killAt === undefined ? {} : { killAt })
  const missed = kills === (killAt === undefined ? 0 : 1) ? [] : ['it was to be killed, and was not']
  if (killAt !== undefined && (resumedAt.at(-1) ?? 0) < killAt / 3) missed.push('it was to go on in the middle, and began anew')
  const resumed = resumedAt.length > 1 ? `, one resumed at byte ${String(resumedAt.at(-1))}` : ''
  return {
    found: `${String(files)} files for ${String(rows)} URLs of ${String(items)} items${resumed}`,
    differences: [...differences, ...missed],
  }
}

/** `killsAt`: numbers of requests. */
async function login(killsAt: readonly number[] = []): Promise<Outcome> {
  const { found, logins, kills, differences } = await crawlMembers({ killsAt })
  const asTold = kills === killsAt.length ? [] : [`killed ${String(kills)} times`]
  return { found: `${String(found)} items, ${String(logins)} logins`, differences: [...differences, ...asTold] }
}

/** `killsAt`: numbers of requests. */
async function app(killsAt: readonly number[] = []): Promise<Outcome> {
  const { found, kills, differences, skipped } = await crawlApp({ killsAt })
  if (skipped !== undefined) return { found: `skipped, ${skipped}`, differences }
  const asTold = kills === killsAt.length ? [] : [`killed ${String(kills)} times`]
  return { found: `${String(found)} items, half of them from rendered pages`, differences: [...differences, ...asTold] }
}

/** An hour and the beginning of the next: two looks at every product. */
async function simulatedHour(): Promise<Outcome> {
  const roundMs = 3_600_000
  const model = priceWatch.changingShops(800, roundMs)
  const { recrawl = [], concurrency = 200 } = priceWatchConfig
  const spider = priceWatchSpider({ shops: model.seeds().join(',') })
  const { items, report } = await onSimulatedWeb(model, { spider, recrawl, concurrency, maxTimeMs: 65 * 60_000 })
  const differences = compareHistories(items, model, { whole: 1, roundMs })
  return {
    found: `${String(items.length)} prices by ${String(report.run.requests)} requests`,
    differences: [
      ...differences.slice(0, 2),
      ...(report.run.requests === 800 * (5 + 3) ? [] : ['it asked for more than products']),
    ],
  }
}

async function watched(): Promise<Outcome> {
  // A round is long enough to start the command anew and look at every product, also beside other work.
  const length = { roundMs: 8_000, lengthMs: 34_000, killAtMs: 14_000 }
  const { products, prices, rounds, differences } = await watchShops({ shops: 12, ...length })
  return { found: `${String(prices)} prices of ${String(products)} products in ${String(rounds)} looks`, differences }
}

async function apiToPostgres(): Promise<Outcome> {
  const { found, kills, differences, skipped } = await crawlApi()
  if (skipped !== undefined) return { found: `skipped ${skipped}`, differences }
  const missed = kills === 1 ? [] : ['it was to be killed, and was not']
  return { found: `${String(found)} rows, all that the API has, with its last prices`, differences: [...differences, ...missed] }
}

async function wholeShop(killAt?: number): Promise<Outcome> {
  const { found, signedIn, kills, differences } = await crawlWholeShop(killAt === undefined ? {} : { killAt })
  const missed = kills === (killAt === undefined ? 0 : 1) ? [] : ['it was to be killed, and was not']
  if (signedIn < 2) missed.push('it was to sign in again')
  return {
    found: `${String(found)} items, all that the shop has and no other; signed in ${String(signedIn)} times`,
    differences: [...differences, ...missed],
  }
}

/** An example that checks itself: a program that ends with 0 and says in its last line what it found. */
async function itself(...words: readonly string[]): Promise<Outcome> {
  const [program = '', ...rest] = words
  const folder = join(import.meta.dirname, '..')
  const child = spawn(process.execPath, [join(folder, program), ...rest], {
    cwd: join(folder, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  const exitCode = await new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  const lines = said.trim().split('\n')
  return { found: lines.at(-1)?.trim() ?? '', differences: exitCode === 0 ? [] : lines.slice(-6) }
}
