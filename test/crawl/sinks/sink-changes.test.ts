// Sinks that get changes of watched items instead of items: each change once, in files too, and set aside like an item where a sink cannot take it.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, spider, type ItemChange, type Plugin } from 'avocet'
import { ItemsRefused, sink, type Sink } from '@avocet/core/sink'
import type { Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { jsonl } from '@avocet/sink-files'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'

const HOUR_MS = 3_600_000
const prices = { everyMs: HOUR_MS, ratio: 0.5 }
const MODEL = siteModel({
  seed: 'changes',
  hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 5, categories: 1, prices } }],
})

const SHOP = spider({
  name: 'shop',
  seeds: ['http://shop.test/'],
  items: { key: 'sku', watch: ['price'] },
  handlers: {
    *start(page) {
      yield* page.links('a.category')
      yield* page.links('a.product', { handler: 'product' })
    },
    *product(page) {
      yield { sku: page.url.pathname, price: page.text('.price') ?? '', at: page.fetchedAt }
    },
  },
})

/** Watches the shop for so many hours in each run, one run after the other on one store; each but the last is broken off. */
async function watched(
  sinks: () => readonly Sink[],
  {
    hours = [5.5],
    store = memoryFrontier,
    plugins = [],
  }: { hours?: readonly number[]; store?: () => Frontier; plugins?: readonly Plugin[] } = {},
) {
  const clock = new VirtualClock()
  const config = { policies: [], plugins, delayMs: 100, recrawl: [{ everyMs: HOUR_MS, match: 'product' }] }
  let frontier = store()
  for (const [n, each] of hours.entries()) {
    const isLast = n === hours.length - 1
    const fetcher = simulatedWeb(MODEL, { clock })
    const run = crawl({
      ...config,
      spider: SHOP,
      clock,
      fetcher,
      frontier,
      sinks: sinks(),
      ...(isLast && { maxTimeMs: each * HOUR_MS }),
    })
    using _end = isLast ? undefined : clock.at(clock.now() + each * HOUR_MS, () => run.abort())
    const report = await clock.run(() => run.run())
    const { reader } = frontier
    if (isLast)
      return { report, changes: await reader.changes({}), rejects: await reader.rejects({}), standing: await reader.sinks() }
    await clock.run(frontier.close())
    frontier = store()
  }
  throw new Error('expected at least one run')
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'avocet-changes-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return made
}

describe('a sink of changes', () => {
  it('gets each change once, with the moment and the place of its page', async () => {
    const got: ItemChange[] = []
    const keys: string[] = []
    const collect = sink<ItemChange>(
      (items) => {
        got.push(...items.map(({ value }) => value))
        keys.push(...items.map(({ key }) => key))
      },
      { name: 'collect', changes: true, filter: ({ value }) => value.kind !== 'new' },
    )

    const { changes, report } = await watched(() => [collect])

    const expected = changes.filter(({ kind }) => kind !== 'new')
    expect(expected.length).toBeGreaterThan(5)
    expect(got.map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq))
    expect(keys).toEqual(expected.map(({ seq }) => String(seq)))
    const [first] = expected
    const page = { at: new Date(first?.at ?? 0).toISOString(), kind: 'changed', host: 'shop.test', visit: 1 }
    expect(got[0]).toMatchObject({ ...page, key: first?.key, url: first?.url, before: first?.before, after: first?.after })
    expect(report.sinks).toMatchObject([{ name: 'collect', changes: true, written: expected.length, behind: 0 }])
  })

  it.each([
    ['in memory', 'memory'],
    ['on SQLite', 'sqlite'],
  ])('counts the changes that it lacks, and keeps those that it refuses, with a store %s', async (_name, kind) => {
    const made = await folder()
    const refusing = (): Sink => ({
      name: 'refusing',
      changes: true,
      write: ({ items }) => {
        throw new ItemsRefused(new Map(items.map(({ key }) => [key, 'no room'])))
      },
    })
    const down = (): Sink => ({
      name: 'down',
      changes: true,
      limits: { timeoutMs: 10 },
      write: () => {
        throw new Error('down')
      },
    })

    const store = (): Frontier =>
      kind === 'memory' ? memoryFrontier() : sqlite(join(made, 'shop.db'), { synchronous: 'normal' })
    const { changes, rejects, standing } = await watched(() => [refusing(), down()], { store })

    expect(rejects.map(({ source, reason, json }) => [source, reason, (JSON.parse(json) as ItemChange).seq])).toEqual(
      changes.map(({ seq }) => ['refusing', 'no room', seq]),
    )
    expect(standing).toMatchObject([
      { name: 'down', changes: true, behind: changes.length },
      { name: 'refusing', changes: true, behind: 0 },
    ])
  })

  it('has each change once in a file, over runs that are broken off', async () => {
    const made = await folder()
    const file = join(made, 'changes.jsonl')
    const store = (): Frontier => sqlite(join(made, 'shop.db'), { synchronous: 'normal' })

    const { changes } = await watched(() => [jsonl(file, { changes: true })], { hours: [1.0003, 0.9998, 2.1, 1], store })

    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as ItemChange).seq)).toEqual(changes.map(({ seq }) => seq))
    expect(Object.keys(JSON.parse(lines[0] ?? '') as ItemChange)).toEqual([
      'at',
      'kind',
      'host',
      'key',
      'before',
      'after',
      'url',
      'visit',
      'seq',
    ])
  })

  it('gets what an operator accepts while the crawl runs, within seconds; the plugin that held it learns of it', async () => {
    const clock = new VirtualClock()
    const got: ItemChange[] = []
    const items: unknown[] = []
    const holds = definePlugin({
      name: 'holds',
      onHandled(handled) {
        if (handled.failure === undefined && handled.items.length > 0 && handled.host.acceptedAt === 0) handled.hold('odd')
      },
    })
    const sinks: readonly Sink[] = [
      sink<ItemChange>((all) => void got.push(...all.map(({ value }) => value)), { name: 'changes', changes: true }),
      sink((all) => void items.push(...all), { name: 'items' }),
    ]
    const config = { policies: [], delayMs: 100, recrawl: [{ everyMs: HOUR_MS, match: 'product' }], maxTimeMs: 5.5 * HOUR_MS }
    const run = crawl({ ...config, spider: SHOP, clock, fetcher: simulatedWeb(MODEL, { clock }), plugins: [holds], sinks })
    const seen: number[][] = []
    using _accepts = clock.at(clock.now() + 2.5 * HOUR_MS, () => {
      seen.push([got.length, items.length])
      void run.control({ kind: 'accept-held', hostKey: 'shop.test' })
    })
    using _looks = clock.at(clock.now() + 2.5 * HOUR_MS + 5_000, () => seen.push([got.length, items.length]))

    const report = await clock.run(() => run.run())

    const [before, after = []] = seen
    expect(before).toEqual([0, 0])
    expect(after[0]).toBeGreaterThan(5)
    expect(after[1]).toBe(report.run.held)
    expect(report.run.held).toBeLessThan(16)
    expect(report.sinks).toMatchObject([
      { name: 'changes', behind: 0, written: got.length },
      { name: 'items', behind: 0, written: report.counts.items },
    ])
    expect(run.status().items).toBe(report.counts.items)
  })

  it('that is new says that it gets the changes from before, and says nothing on a new store', async () => {
    const said: string[] = []
    const listens = definePlugin({
      name: 'listens',
      outsideEffects: false,
      onTrace: (event) => void (event.kind === 'problem' && said.push(event.message)),
    })
    const sinks = [[], [sink(() => {}, { name: 'late', changes: true })]]
    const { changes } = await watched(() => sinks.shift() ?? [], { hours: [1, 1], store: alike(), plugins: [listens] })
    const saidOfOld = said.filter((message) => message.includes('sink late'))

    said.length = 0
    await watched(() => [sink(() => {}, { name: 'early', changes: true })], { plugins: [listens] })

    expect(changes.length).toBeGreaterThanOrEqual(5)
    expect(saidOfOld).toEqual(['sink late: it is new, and gets all changes that the store has so far'])
    expect(said.filter((message) => message.includes('sink early'))).toEqual([])
  })

  it('is refused under the name of a sink that has items', async () => {
    const sinks = [sink(() => {}, { name: 'shop' }), sink(() => {}, { name: 'shop', changes: true })]

    await expect(watched(() => sinks.splice(0, 1), { hours: [1, 1], store: alike() })).rejects.toThrow(
      'sink shop has items of this crawl so far, and would get changes from now on; give one of the two another name',
    )
  })
})

/** The same store for each run. */
function alike(): () => Frontier {
  const store = memoryFrontier()
  return () => store
}
