// What the compiler checks of the names of handlers. The assertions are made by `tsc`: a check that is lost leaves a `@ts-expect-error` without an error.
import { link, spider, type Handler, type Link, type LinkOptions, type Page, type Seed, type Spider } from 'avocet'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Checked, CheckedSeeds, Handlers } from '../src/checked-spider.ts'

interface Offer {
  readonly title: string
  readonly kind: 'new' | 'used'
}

interface Category {
  readonly category: 'tea' | 'coffee'
  tags?: string[]
}

const shop = { name: 'shop', seeds: ['https://shop.example/'] } as const

function* product(page: Page<Category>): Generator<{ category: 'tea' | 'coffee' }> {
  yield { category: page.request.data.category }
}

describe('the names of handlers', () => {
  it('may be those of the spider, whatever kind of function yields them', () => {
    const made = spider({
      ...shop,
      seeds: ['https://shop.example/', { url: 'https://shop.example/tea', handler: 'list' }],
      handlers: {
        *start(page) {
          yield link('/tea', { handler: 'list', priority: 1 })
          yield* page.links('a.category', { handler: 'list' })
          yield* page.links()
        },
        async *list(page) {
          yield* page.links({ handler: page.isHtml ? 'promise' : 'start' })
        },
        arrow: (page) => page.links('a', { handler: 'list' }),
        promise: async () => [link('/', { handler: 'arrow' })],
      },
      unchanged: () => [link('/', { handler: 'arrow' })],
    })

    expectTypeOf(made).toEqualTypeOf<Spider<never>>()
    expect(Object.keys(made.handlers)).toEqual(['start', 'list', 'arrow', 'promise'])
  })

  it('must be those of the spider, in a generator, an async generator, an arrow function and a promise', () => {
    spider({
      ...shop,
      handlers: {
        // @ts-expect-error the spider has no handler 'prodcut'
        *start(page) {
          yield { title: page.title }
          yield link('/x', { handler: 'prodcut' })
        },
        // @ts-expect-error the spider has no handler 'prodcut'
        *product(page) {
          yield* page.links('a', { handler: 'prodcut' })
        },
        // @ts-expect-error the spider has no handler 'prodcut'
        async *list(page) {
          yield* page.links({ handler: 'prodcut' })
        },
        // @ts-expect-error the spider has no handler 'prodcut'
        arrow: (page) => page.links('a', { handler: 'prodcut' }),
        // @ts-expect-error the spider has no handler 'prodcut'
        array: () => [link('/', { handler: 'prodcut' }), link('/', { handler: 'product' })],
        // @ts-expect-error the spider has no handler 'prodcut'
        promise: async () => [link('/', { handler: 'prodcut' })],
      },
      // @ts-expect-error the spider has no handler 'prodcut'
      unchanged: () => [link('/', { handler: 'prodcut' })],
    })
  })

  it('must be those of the spider in seeds too, in a list or from a function', () => {
    const handlers = { start: () => [], list: () => [] }

    // @ts-expect-error the spider has no handler 'lits'
    spider({ name: 'shop', seeds: ['https://shop.example/', { url: 'https://shop.example/', handler: 'lits' }], handlers })
    // @ts-expect-error the spider has no handler 'lits'
    spider({ name: 'shop', seeds: () => [{ url: 'https://shop.example/', handler: 'lits' }], handlers })
    spider({
      name: 'shop',
      // @ts-expect-error the spider has no handler 'lits'
      *seeds() {
        yield { url: 'https://shop.example/', handler: 'lits' }
      },
      handlers,
    })
    // @ts-expect-error a seed has no 'handel'
    spider({ name: 'shop', seeds: [{ url: 'https://shop.example/', handel: 'list' }], handlers })
    spider({ name: 'shop', seeds: ['/tea', '/coffee'].map((url) => ({ url, handler: 'list' })), handlers })
  })

  it('must be those of the spider where the item type is declared, by the function that makes the spider or after the call', () => {
    const ofArguments = ({ site = 'https://shop.example/' }: Readonly<Record<string, string>>): Spider<Offer> =>
      spider({
        name: 'shop',
        seeds: [site],
        handlers: {
          *start(page) {
            yield { title: page.title, kind: 'new' }
            yield link('/', { handler: 'list' })
          },
          // @ts-expect-error the spider has no handler 'lits'
          *list() {
            yield link('/', { handler: 'lits' })
          },
        },
      })
    const checked = spider({
      ...shop,
      handlers: {
        *start(page) {
          yield { title: page.title, kind: 'new' }
        },
        // @ts-expect-error the spider has no handler 'lits'
        *list(page) {
          yield* page.links({ handler: 'lits' })
        },
      },
    }) satisfies Spider<Offer>

    expectTypeOf(ofArguments({})).toEqualTypeOf<Spider<Offer>>()
    expectTypeOf(checked).toEqualTypeOf<Spider<Offer>>()
  })

  it('are `start` where none is named', () => {
    // @ts-expect-error the spider has no handler 'start'
    spider({ ...shop, handlers: { list: () => [] } })
    spider({
      name: 'shop',
      seeds: [{ url: 'https://shop.example/', handler: 'list' }],
      handlers: {
        // @ts-expect-error the spider has no handler 'start'
        list: (page) => page.links(),
      },
    })
  })

  it('must be those of the spider in a handler of another file whose links the compiler can infer', () => {
    const list = function* (page) {
      yield { title: page.title, kind: 'new' }
      yield* page.links({ handler: 'lits' })
    } satisfies Handler<Offer>
    function* written(page: Page): Generator<Link<'lits'>> {
      yield link(page.url, { handler: 'lits' })
    }

    // @ts-expect-error the spider has no handler 'lits'
    spider({ ...shop, handlers: { start: () => [], list } })
    // @ts-expect-error the spider has no handler 'lits'
    spider({ ...shop, handlers: { start: () => [], written } })
    spider({ ...shop, handlers: { start: () => [], lits: () => [], list, written } })
  })

  it('are all those that a link may have', () => {
    spider({
      ...shop,
      handlers: {
        // @ts-expect-error the spider has no handler 'lits'
        start: (page) => page.links({ handler: page.isHtml ? 'list' : 'lits' }),
        list: () => [],
      },
    })
  })

  it('are not checked where they are computed', () => {
    const options: LinkOptions = { handler: 'lits' }
    const handlers: Handlers = { start: () => [link('/', { handler: 'lits' })] }

    spider({ ...shop, handlers: { start: (page) => [link('/', options), link('/', { handler: page.title })] } })
    spider({ ...shop, handlers })
    spider({ name: 'shop', seeds: JSON.parse('[]') as Seed[], handlers: { start: () => [] } })
  })

  it('cannot be had together with a type argument, which would hide them', () => {
    // @ts-expect-error expected 4 to 6 type arguments, got 1
    spider<Offer>({ ...shop, handlers: { start: () => [link('/', { handler: 'lits' })] } })
  })

  it('are told in a sentence, and handlers that there are are listed', () => {
    type Handling = { start(page: Page): Iterable<never>; product: typeof product }
    type Yielding<Yielded> = (page: Page) => Generator<Yielded>

    expectTypeOf<Checked<Yielding<ReturnType<typeof link<'prodcut'>>>, Handling, never>>().toEqualTypeOf<
      ["the spider has no handler 'prodcut'; it has", 'start' | 'product']
    >()
    expectTypeOf<
      Checked<Yielding<ReturnType<typeof link<'product'>>>, Handling, never>
    >().toEqualTypeOf<"the handler 'product' needs data">()
    expectTypeOf<
      Checked<Yielding<ReturnType<typeof link<'product', { categori: 'tea' }>>>, Handling, never>
    >().toEqualTypeOf<"the handler 'product' takes other data">()
    expectTypeOf<CheckedSeeds<string, Handling>>().toEqualTypeOf<unknown>()
  })
})

describe('items', () => {
  it('must be JSON, and links in a list are yielded one by one', () => {
    const refused = [
      // @ts-expect-error a date would come back as a text
      spider({ ...shop, handlers: { *start() { yield { at: new Date(0) } } } }), // prettier-ignore
      // @ts-expect-error a function would be left out
      spider({ ...shop, handlers: { *start(page) { yield { title: page.text } } } }), // prettier-ignore
      // @ts-expect-error a bigint cannot be written
      spider({ ...shop, handlers: { *start() { yield { ids: [1n] } } } }), // prettier-ignore
      // @ts-expect-error nobody would see the links
      spider({ ...shop, handlers: { *start(page) { yield page.links() } } }), // prettier-ignore
      // @ts-expect-error a text is no link
      spider({ ...shop, handlers: { *start() { yield '/next' } } }), // prettier-ignore
      // @ts-expect-error nor is it one of a page that was not changed
      spider({ ...shop, handlers: { start: () => [] }, unchanged: () => [{ at: new Date(0) }] }),
    ]
    const taken = [
      spider({ ...shop, handlers: { *start(page) { yield { all: page.json(), tags: ['a'], none: undefined, null: null } } } }), // prettier-ignore
      spider({ ...shop, handlers: { *start(): Generator<Offer> { yield { title: 'Tea', kind: 'new' } } } }), // prettier-ignore
    ]

    expect([...refused, ...taken]).toHaveLength(8)
  })

  it('that are none are told of in a sentence', () => {
    type Yielding<Yielded> = (page: Page) => Generator<Yielded>
    type Told<Item> = Checked<Yielding<Item>, object, Item>

    expectTypeOf<
      Told<{ title: string; at: Date }>
    >().toEqualTypeOf<"an item must be JSON: write 'at' as text, a number, a list or an object of these">()
    expectTypeOf<
      Told<Iterable<Link>>
    >().toEqualTypeOf<'write yield* in front of several items or links, as in yield* page.links()'>()
    expectTypeOf<Told<Promise<Offer>>>().toEqualTypeOf<'write yield await in front of a promise'>()
    expectTypeOf<Told<Offer>>().toEqualTypeOf<unknown>()
  })
})
