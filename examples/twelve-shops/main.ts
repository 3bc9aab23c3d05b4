// An hour of the job in ten seconds: a timer starts the command every few minutes on twelve simulated shops, whose products are due once a minute. Every
// price must be right, and `avocet hosts`, the report and the exit code must name the shops in trouble, and no other.
import { EventEmitter } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { main } from '@avocet/cli'
import { MINUTE_MS, model, VISITS } from './shops.ts'
import { clock, web } from './simulated.config.ts'
import type { Offer } from './spider.ts'

/** Runs of the command: their minutes, their exit codes, and the shops in trouble after each. */
const RUNS = [
  { minutes: 5, code: 5, trouble: { 'hanging.test': 'unreachable' } },
  // The shop was redesigned when this run began.
  { minutes: 1, code: 11, trouble: { 'hanging.test': 'unreachable', 'redesigned.test': 'broken layout' } },
  {
    minutes: 54,
    code: 11,
    trouble: { 'dying.test': 'unreachable', 'hanging.test': 'unreachable', 'redesigned.test': 'broken layout' },
  },
] as const

const startedAt = clock.now()
const folder = await mkdtemp(join(tmpdir(), 'avocet-twelve-'))
const wrong: string[] = []
try {
  for (const run of RUNS) await crawlAndLook(run)
  const lines = (await readFile(join(folder, 'offers.jsonl'), 'utf8')).trim().split('\n')
  const offers = lines.map((line) => JSON.parse(line) as Offer)
  wrong.push(
    ...offers.filter(isWrong).map((offer) => `no such price: ${JSON.stringify(offer)}`),
    ...missedVisits(offers),
    ...felt(),
  )
  console.log(
    wrong.length === 0
      ? `60 rounds, ${String(offers.length)} prices, all right; three shops in trouble, all named`
      : wrong.join('\n'),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = wrong.length === 0 ? 0 : 1

async function crawlAndLook({ minutes, code, trouble }: (typeof RUNS)[number]): Promise<void> {
  const spider = [`${import.meta.dirname}/spider.ts`, '--config', `${import.meta.dirname}/simulated.config.ts`]
  const from = ['-a', `shops=${model.seeds().join(',')}`, '-O', 'offers.jsonl', '--fail-over', '5%']
  const run = await avocet('crawl', ...spider, ...from, '--store', 'shops.db', '--max-time', `${String(minutes)}m`)
  expectSame(`the exit code after ${String(minutes)} minutes`, run.code, code)
  for (const command of ['hosts', 'report']) {
    const { said } = await avocet(command, '--store', 'shops.db', '--json')
    expectSame(`trouble in avocet ${command}`, JSON.stringify(troubleIn(said)), JSON.stringify(trouble))
  }
}

function expectSame(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) wrong.push(`${what}: expected ${String(expected)}, got ${String(got)}`)
}

/** Conditions of hosts other than fine and slow, by host. */
function troubleIn(json: string): Readonly<Record<string, string>> {
  const { hosts } = JSON.parse(json) as { readonly hosts: readonly { readonly hostKey: string; readonly condition: string }[] }
  const inTrouble = hosts.filter(({ condition }) => condition !== 'fine' && condition !== 'slow')
  return Object.fromEntries(inTrouble.map(({ hostKey, condition }) => [hostKey, condition] as const).toSorted())
}

/** Runs the command in this process, on the clock of the shops. */
async function avocet(...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const said: string[] = []
  const collect = (into: string[]): typeof process.stdout => {
    const stream = new Writable({ write: (chunk, _encoding, done) => (into.push(String(chunk)), done()) })
    return stream as typeof process.stdout
  }
  const events = new EventEmitter()
  const { stdin, env } = process
  const code = await clock.run(() =>
    main(words, {
      ...{ stdin, stdout: collect(said), stderr: collect([]), env, clock },
      cwd: () => folder,
      on: (name, listener) => events.on(name, listener),
      off: (name, listener) => events.off(name, listener),
    }),
  )
  return { code, said: said.join('') }
}

/** Whether the shop did not have this price when it was visited. */
function isWrong({ shop, sku, price, seenAt }: Offer): boolean {
  return !model.expected.products(shop, seenAt - startedAt).some((product) => product.sku === sku && product.price === price)
}

/** Products that were not visited once a minute. A shop with ETags answers 304 while nothing changes, and no handler runs. */
function missedVisits(offers: readonly Offer[]): readonly string[] {
  const found = Map.groupBy(offers, ({ shop, sku }) => `${shop} ${sku}`)
  return model.expected.products().flatMap(({ host, sku }) => {
    const seen = found.get(`${host} ${sku}`)?.length ?? 0
    const expected = host === 'etags.test' ? priceChanges(host, sku) : (VISITS[host] ?? 60)
    return seen === expected ? [] : [`${host} ${sku}: expected ${String(expected)} prices, got ${String(seen)}`]
  })
}

/** Prices that a product had in the hour, one after the other. */
function priceChanges(host: string, sku: string): number {
  const moments = new Set<number | undefined>()
  for (let minute = 0; minute < 60; minute++) {
    const product = model.expected.products(host, minute * MINUTE_MS).find((one) => one.sku === sku)
    moments.add(product?.sinceMs)
  }
  return moments.size
}

/** What shops would complain about. */
function felt(): readonly string[] {
  return model.hosts.flatMap(({ name }) => {
    const { minGapMs, maxInFlight, duringRetryAfter } = web.felt(name)
    const isRude = minGapMs < 1_000 || maxInFlight > 1 || duringRetryAfter > 0
    return isRude
      ? [
          `${name}: a gap of ${String(minGapMs)} ms, ${String(maxInFlight)} in flight, ${String(duringRetryAfter)} during Retry-After`,
        ]
      : []
  })
}
