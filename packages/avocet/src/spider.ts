// Declares a spider: at run time nothing, for the compiler what its handlers yield, and that its links lead somewhere.
import type { Handler, Page, Seed, Spider } from '@avocet/core'
import type {
  Checked,
  CheckedFields,
  CheckedSeeds,
  Handlers,
  ItemFor,
  ItemsOf,
  ItemsOption,
  SchemaIn,
  Seeds,
  YieldedFor,
} from './checked-spider.ts'

/**
 * Declares a spider. The item type follows from what the handlers yield, or from the schema in `items`. The compiler checks that
 * every link and seed that is written in place names a handler of the spider and passes its data; others are checked at run
 * time.
 *
 * To fix the item type beforehand, write `satisfies Spider<Item>` after the call.
 * @example
 * ```ts
 * // titles.ts
 * import { spider } from 'avocet'
 * import { readPage } from '@avocet/simulator'
 *
 * const titles = spider({
 *   name: 'titles',
 *   seeds: ['https://books.example/'],
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *       yield* page.links()
 *     },
 *   },
 * })
 * const { items, links } = await readPage(titles, { url: 'https://books.example/', body: '<title>Books</title><a href="/sea">Sea</a>' })
 * items // [{ title: 'Books' }]
 * links.map(({ url }) => url) // ['https://books.example/sea']
 * ```
 */
export function spider<
  const Name extends string,
  const Data,
  Start extends string | Seed<Name, Data>,
  Handling extends Handlers,
  Unchanged extends (page: Page) => ReturnType<Handler<unknown>> = Handler<never>,
  const Items extends ItemsOption | undefined = undefined,
  Yields = YieldedFor<SchemaIn<Items>, ItemsOf<Handling[keyof Handling] | Unchanged>>,
>(
  definition: Omit<Spider, 'seeds' | 'items' | 'handlers' | 'unchanged'> & {
    /**
     * Schema of the items: any that follows Standard Schema. Its input is what handlers yield, its output the type of the items. Or
     * `{ schema, key, watch }`, to have changes of these fields recorded.
     */
    readonly items?: Items & CheckedFields<NoInfer<Items>, NoInfer<ItemFor<SchemaIn<Items>, Yields>>>
    /** URLs to start with, or a function that yields them. */
    readonly seeds: Seeds<Start> & CheckedSeeds<Start, NoInfer<Handling>>
    /** Handlers by name. Seeds and links that name no handler go to `start`, which every spider has. */
    readonly handlers: Handling & { readonly [Key in keyof Handling]: Checked<Handling[Key], Handling, NoInfer<Yields>> }
    /** Runs instead of the handler when a recrawled page has not changed (304): there is no body. Default: yields nothing. */
    readonly unchanged?: Unchanged & Checked<Unchanged, Handling, NoInfer<Yields>>
  },
): Spider<ItemFor<SchemaIn<Items>, Yields>, Yields>
export function spider(definition: Spider): Spider {
  return definition
}
