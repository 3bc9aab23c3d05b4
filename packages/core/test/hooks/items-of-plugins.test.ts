// What `onItem` of a plugin makes of an item must be one as a handler yields it: a plain object that JSON carries without loss.
import { crawl, memoryFrontier, spider, type Plugin } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

interface Priced {
  price: unknown
}

/** The items of one page, `{ price: '1.299,00' }` and `{ price: '5' }`, after `onItem`. */
async function itemsAfter(
  onItem: (item: unknown) => unknown,
): Promise<{ readonly items: readonly string[]; readonly said: readonly string[] }> {
  const mine: object = { name: 'mine', onItem }
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'priced', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
  const frontier = memoryFrontier()
  const run = crawl({
    spider: spider({
      name: 'priced',
      seeds: model.seeds(),
      handlers: { start: () => [{ price: '1.299,00' }, { price: '5' }] },
    }),
    policies: [],
    plugins: [mine as Plugin],
    clock,
    fetcher: simulatedWeb(model, { clock }),
    frontier,
  })
  const { problems } = await clock.run(() => run.run())
  const items = await frontier.reader.items({ limit: 10 })
  return { items: items.map(({ json }) => json), said: problems.map(({ message }) => message) }
}

describe('what onItem makes of an item', () => {
  it('is lost where it has a number that JSON does not have, said with its place, and no other item of the page with it', async () => {
    const { items, said } = await itemsAfter((item) => ({ price: Number((item as Priced).price) }))

    expect(items).toEqual(['{"price":5}'])
    expect(said).toEqual([
      'plugin mine made an invalid item in onItem ($.price is NaN, and JSON has no such number): the item is lost; return a plain object of JSON, or null to drop it',
    ])
  })

  it.each([
    [[1, 2], '$ is a list'],
    ['text', "$ is 'text'"],
    [5, '$ is 5'],
    [true, '$ is true'],
    [new Date(0), '$ is an instance of Date'],
    [{ price: 1n }, '$.price is a bigint'],
    [{ at: new Date(0) }, '$.at is a Date'],
  ])('%o is no item', async (answer, flaw) => {
    const { items, said } = await itemsAfter(() => answer)

    expect(items).toEqual([])
    expect(said).toEqual([expect.stringContaining(`invalid item in onItem (${flaw}): the item is lost`)])
  })

  it('is looked at also where the item was changed and not returned', async () => {
    const { items, said } = await itemsAfter((item) => {
      const priced = item as Priced
      priced.price = Number(priced.price)
    })

    expect(items).toEqual(['{"price":5}'])
    expect(said).toContainEqual(expect.stringContaining('$.price is NaN'))
  })
})
