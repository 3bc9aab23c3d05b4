// A small spider: every quote of a site that shows ten a page, following "Next" to the end.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Quote {
  readonly text: string
  readonly author: string
  readonly tags: readonly string[]
}

/** `avocet crawl spider.ts -a site=https://quotes.example/` */
export default ({ site = 'https://quotes.example/' }: Readonly<Record<string, string>>): Spider<Quote> =>
  spider({
    name: 'quotes',
    seeds: [site],
    handlers: {
      *start(page) {
        for (const element of page.$('.quote')) {
          const quote = page.$(element)
          const tags = quote.find('.tag').toArray()
          yield {
            text: quote.find('.text').text(),
            author: quote.find('.author').text(),
            tags: tags.map((tag) => page.$(tag).text()),
          }
        }
        yield* page.links('.next a')
      },
    },
  })
