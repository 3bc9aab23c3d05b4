// What the compiler checks of the data and the items of a spider. The assertions are made by `tsc`: a check that is lost leaves a `@ts-expect-error`
// without an error.
import { defineCrawl, link, spider, type Handler, type Page, type Spider } from 'avocet'
import { describe, expect, expectTypeOf, it } from 'vitest'

interface Offer {
  readonly title: string
  readonly kind: 'new' | 'used'
}

interface Category {
  readonly category: 'tea' | 'coffee'
  tags?: string[]
}

const shop = { name: 'shop', seeds: ['https://shop.example/'] } as const

/** As in a file of its own, with its links written down nowhere. */
function* product(page: Page<Category>): Generator<{ category: 'tea' | 'coffee' }> {
  yield { category: page.request.data.category }
}
/** As in a file of its own, with its type. */
const offer: Handler<Offer, Category> = function* (page) {
  yield { title: page.request.data.category, kind: 'new' }
  yield link('/', { handler: page.title })
}

describe('the data of links', () => {
  it('is what the handler takes', () => {
    const made = spider({
      name: 'shop',
      seeds: ['https://shop.example/', { url: 'https://shop.example/', handler: 'product', data: { category: 'tea' } }],
      handlers: {
        *start(page) {
          expectTypeOf(page.request.data).toEqualTypeOf<unknown>()
          yield link('/tea', { handler: 'product', data: { category: 'tea', tags: ['green'] } })
          yield* page.links('a', { handler: 'offer', data: { category: 'coffee' } })
          yield* page.links('a.next', { data: page.request.data })
        },
        *inline(page: Page<Category>) {
          expectTypeOf(page.request.data).toEqualTypeOf<Category>()
          yield link('/tea', { handler: 'product', data: page.request.data })
        },
        product,
        offer,
      },
    })

    expectTypeOf(made).toEqualTypeOf<Spider<{ category: 'tea' | 'coffee' } | Offer>>()
    expect(made.handlers['product']).toBe(product)
  })

  it('must have the type that the handler takes, and must not be left out', () => {
    spider({
      ...shop,
      handlers: {
        // @ts-expect-error the handler 'product' takes other data
        *start() {
          yield link('/', { handler: 'product', data: { categori: 'tea' } })
        },
        // @ts-expect-error the handler 'product' takes other data
        other: (page) => page.links('a', { handler: 'product', data: { category: 'milk' } }),
        // @ts-expect-error the handler 'product' needs data
        *missing() {
          yield link('/', { handler: 'product' })
        },
        // @ts-expect-error the handler 'offer' needs data
        *declared(page) {
          yield* page.links('a', { handler: 'offer' })
        },
        product,
        offer,
      },
    })
  })

  it('must have the type that the handler takes in seeds too', () => {
    const start: Handler<Offer, Category> = () => []

    // @ts-expect-error the handler 'start' needs data
    spider({ name: 'shop', seeds: ['https://shop.example/'], handlers: { start } })
    // @ts-expect-error the handler 'start' takes other data
    spider({ name: 'shop', seeds: [{ url: 'https://shop.example/', data: { categori: 'tea' } }], handlers: { start } })
    spider({
      name: 'shop',
      seeds: [
        { url: 'https://shop.example/', data: { category: 'tea' } },
        // @ts-expect-error the handler 'start' takes other data
        { url: 'https://shop.example/', data: { category: 'milk' } },
        // @ts-expect-error the handler 'start' needs data
        { url: 'https://shop.example/', priority: 1 },
      ],
      handlers: { start },
    })
    spider({
      name: 'shop',
      seeds: [
        'https://shop.example/',
        { url: 'https://shop.example/tea', handler: 'list', data: { category: 'tea' } },
        { url: 'https://shop.example/coffee', handler: 'list', data: { category: 'coffee', tags: [] } },
        { url: 'https://shop.example/page', handler: 'page', data: 2 },
      ],
      handlers: { start: () => [], list: start, page: (page: Page<number>) => [page.request.data] },
    })
  })

  it('is not what `unchanged` takes, which has pages of all handlers', () => {
    // @ts-expect-error its page has the data of any link
    spider({ ...shop, handlers: { start: () => [], product }, unchanged: (page: Page<Category>) => [page.request.data] })
  })

  it('is JSON', () => {
    const date = new Date(0)

    spider({
      ...shop,
      handlers: {
        // @ts-expect-error a date comes back as a text
        *start() {
          yield link('/', { data: { since: date } })
        },
        // @ts-expect-error a map is lost in JSON
        other: (page) => page.links({ data: new Map<string, string>() }),
      },
    })
    expect(() => link('/', { data: { since: date } })).toThrow('got what is not JSON: data.since is a Date')
    expect(() => link('/', { data: new Map() })).toThrow('expected data to be plain data, got what is not JSON: data is a Map')
  })
})

describe('the items of a spider', () => {
  it('are what its handlers yield', () => {
    const made = spider({
      ...shop,
      handlers: {
        *start(page) {
          yield { title: page.title }
          yield* page.links()
        },
        async *product(page) {
          yield { price: page.visit }
        },
      },
      unchanged: () => [{ same: true }],
    })

    type Made = { title: string } | { price: number } | { same: boolean }
    expectTypeOf(made).toEqualTypeOf<Spider<Made>>()
    expectTypeOf(defineCrawl({ spider: made }).spider).toEqualTypeOf<Spider<Made, unknown>>()
  })

  it("are nobody's where a configuration is for several spiders", () => {
    expectTypeOf(defineCrawl({ delayMs: 10 })).not.toHaveProperty('spider')
    // @ts-expect-error there is no such option
    defineCrawl({ delay: 10 })
  })

  it('are those that are declared, and no others', () => {
    spider({
      ...shop,
      handlers: {
        // @ts-expect-error kind is 'new' or 'used'
        *start(page) {
          yield { title: page.title, kind: 'old' }
        },
        *product(page) {
          yield { title: page.title, kind: 'used' }
        },
      },
    }) satisfies Spider<Offer>
  })
})
