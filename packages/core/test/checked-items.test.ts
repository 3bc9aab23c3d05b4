// What the compiler makes of a schema of items: its input is what handlers must yield, its output is the item. The assertions are made by `tsc`.
import { crawl, defineCrawl, definePlugin, itemsOf, spider, spiderWith, memoryFrontier, type Plugin, type Spider } from 'avocet'
import { readPage } from '@avocet/simulator'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const shop = { name: 'shop', seeds: ['https://shop.example/'] } as const

interface Tea {
  name: string
  price: number
}
interface TeaText {
  name: string
  price: string
}

const ofZod = z.object({ name: z.string(), price: z.string().transform(Number) })
const ofValibot = v.object({ name: v.string(), price: v.pipe(v.string(), v.transform(Number)) })
const ofArkType = type({ name: 'string', price: 'string.numeric.parse' })

describe('the item type of a spider', () => {
  const handlers = { start: () => [{ name: 'Assam', price: 4.5 }] }
  const teas = spider({ ...shop, handlers })
  const untyped: Spider = teas
  const named = definePlugin({ name: 'named', onItem: (item: { name: string }) => (item.name === '' ? null : item) })
  const json = definePlugin({ name: 'json', onItem: (item) => (item === '' ? null : item) })
  const origins = definePlugin({ name: 'origins', onItem: (item: Tea & { origin: string }) => item.origin })

  it('is what onItem of plugins must take, where both are known', () => {
    const policies = [] as const
    const made = [
      crawl({ spider: teas, policies, plugins: [named, json] }),
      // @ts-expect-error a tea has no origin
      crawl({ spider: teas, policies, plugins: [named, origins] }),
      crawl({ spider: untyped, policies, plugins: [named, origins] }),
      crawl({ spider: teas, policies, plugins: [named as Plugin, origins as Plugin] }),
    ]
    // @ts-expect-error a tea has no origin
    const declared = defineCrawl({ spider: teas, plugins: [origins] })

    expect([made.length, declared.plugins]).toEqual([4, [origins]])
  })
})

describe('the item type of a spider with a schema', () => {
  it('is the output of the schema, of whichever library, and handlers yield its input', () => {
    const handlers = {
      *start() {
        yield { name: 'Assam', price: '4.5' }
      },
    }
    const made = [
      spider({ ...shop, items: ofZod, handlers }),
      spider({ ...shop, items: ofValibot, handlers }),
      spider({ ...shop, items: ofArkType, handlers }),
    ] as const

    expectTypeOf(made[0]).toEqualTypeOf<Spider<Tea, TeaText>>()
    expectTypeOf(made[1]).toEqualTypeOf<Spider<Tea, TeaText>>()
    expectTypeOf(made[2]).toEqualTypeOf<Spider<Tea, TeaText>>()
    expect(made.map(({ items }) => items)).toEqual([ofZod, ofValibot, ofArkType])
  })

  it('is that of everything that gets items', async () => {
    const made = spider({ ...shop, items: ofZod, handlers: { start: () => [{ name: 'Assam', price: '4.5' }] } })
    const { items } = await readPage(made, { url: 'https://shop.example/', body: '' })
    const run = crawl({ spider: made, policies: [], frontier: memoryFrontier() })

    expectTypeOf(items).toEqualTypeOf<readonly Tea[]>()
    expectTypeOf(run.items).returns.toExtend<AsyncIterable<Tea>>()
    expectTypeOf(defineCrawl({ spider: made }).spider).toEqualTypeOf<Spider<Tea, unknown>>()
    expectTypeOf(spiderWith({ city: 'text' }, () => made)).returns.resolves.toExtend<Spider<Tea, unknown>>()
    expectTypeOf(made).toExtend<Spider>()
    expect(definePlugin({ name: 'none' }).name).toBe('none')
    expect(itemsOf).toBeTypeOf('function')
  })

  it('is said by the compiler at the handler that yields anything else', () => {
    spider({
      ...shop,
      items: ofZod,
      handlers: {
        // @ts-expect-error property 'price' is missing in type '{ name: string; }'
        *start() {
          yield { name: 'Assam' }
        },
        // @ts-expect-error type 'number' is not assignable to type 'string'
        *number() {
          yield { name: 'Assam', price: 4.5 }
        },
        // @ts-expect-error property 'name' is missing in type '{ price: string; }'
        async *both(page) {
          yield { name: 'Assam', price: '4.5' }
          yield { price: page.title }
        },
        *more(page) {
          yield { name: page.title, price: page.text('.price'), shelf: 7 }
          yield* page.links({ handler: 'both' })
        },
      },
      // @ts-expect-error type '{ same: boolean; }' is missing the following properties: name, price
      unchanged: () => [{ same: true }],
    })
  })

  it('leaves what a schema does not say to be checked when it is yielded', () => {
    const made = spider({ ...shop, items: z.any(), handlers: { start: () => [{ anything: 1 }] } })
    // @ts-expect-error a text is no schema
    spider({ ...shop, items: 'schema', handlers: { start: () => [] } })

    expect(made.name).toBe('shop')
  })
})
