// The items of a store, read back: all of them, in their order, and of the type that the spider yields.
import { crawl, itemsOf, memoryFrontier, spider, type Crawl } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { expect, expectTypeOf, it } from 'vitest'

const model = siteModel({ seed: 'items', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
const COUNTED = Array.from({ length: 2_500 }, (_, n) => ({ n }))

const counting = spider({
  name: 'counting',
  seeds: model.seeds(),
  handlers: {
    *start() {
      yield* COUNTED
    },
  },
})

it('are handed out by the crawl whose store has them, also when it was given none', async () => {
  const clock = new VirtualClock()
  const run = crawl({ policies: [], spider: counting, clock, fetcher: simulatedWeb(model, { clock }) })
  await clock.run(() => run.run())

  const items: { n: number }[] = []
  for await (const item of run.items()) items.push(item)

  expect(items).toEqual(COUNTED)
  expectTypeOf(run).toEqualTypeOf<Crawl<{ n: number }>>()
})

it('are read from a store without a crawl', async () => {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  await clock.run(() => crawl({ policies: [], spider: counting, clock, frontier, fetcher: simulatedWeb(model, { clock }) }).run())

  const numbers: number[] = []
  for await (const { n } of itemsOf<{ n: number }>(frontier.reader)) numbers.push(n)

  expect(numbers).toEqual(COUNTED.map(({ n }) => n))
})
