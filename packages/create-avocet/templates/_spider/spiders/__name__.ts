// Extracts the articles of a list, and follows the link to the next list.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Article {
  readonly title: string
  /** Undefined where the link is no http(s) URL. */
  readonly url: string | undefined
  /** As the page has it: 2026-11-21. */
  readonly date: string
}

export default spider({
  name: '__name__',
  seeds: ['__seed__'],
  handlers: {
    *start(page) {
      for (const element of page.$('article')) {
        const article = page.$(element)
        const link = article.find('h2 a')
        yield {
          title: link.text(),
          url: page.absolute(link.attr('href') ?? ''),
          date: article.find('time').attr('datetime') ?? '',
        }
      }
      yield* page.links('a[rel=next]')
    },
  },
}) satisfies Spider<Article>
