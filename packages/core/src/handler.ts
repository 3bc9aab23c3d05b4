// A handler: a function from a page to a stream of items and links.
import type { Link } from './link.ts'
import type { Page } from './page.ts'

/** What a handler may return: a stream of items and links, as a generator, an async generator or a plain iterable. */
type HandlerStream<Item> = Iterable<Item | Link> | AsyncIterable<Item | Link>

/**
 * Extracts items and links from a page. All of its output is stored, or none. `Data` is the type of `page.request.data`: `spider()` checks that every link
 * to the handler passes it.
 *
 * A function that is declared as a `Handler` may yield links to any handler: the compiler checks names only where it infers what a function returns.
 * `function* (page) { … } satisfies Handler<Item>` has both.
 *
 * @example
 * ```ts
 * // offers.ts
 * import { spider, type Handler, type Page } from 'avocet'
 * import { readPage } from '@avocet/simulator'
 *
 * interface Offer {
 *   readonly name: string
 *   readonly shop: string
 * }
 * const offer = function* (page: Page<{ shop: string }>) {
 *   yield { name: page.text('h1'), shop: page.request.data.shop }
 * } satisfies Handler<Offer, { shop: string }>
 *
 * const offers = spider({
 *   name: 'offers',
 *   seeds: ['https://shop.example/'],
 *   handlers: {
 *     *start(page) {
 *       yield* page.links('a.offer', { handler: 'offer', data: { shop: 'north' } })
 *     },
 *     offer,
 *   },
 * })
 * const recorded = { url: 'https://shop.example/1', body: '<h1>Tea</h1>', handler: 'offer', data: { shop: 'north' } }
 * const { items } = await readPage(offers, recorded)
 * items // [{ name: 'Tea', shop: 'north' }]
 * ```
 */
export type Handler<Item, Data = unknown> = PageMethod<Item, Data>['handle']

// A method, for only methods compare their parameters both ways: a handler that takes certain data is a handler of a spider like any other.
interface PageMethod<Item, Data> {
  handle(page: Page<Data>): HandlerStream<Item> | Promise<HandlerStream<Item>>
}
