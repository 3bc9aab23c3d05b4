// Extracts the articles from the lists of a JSON API, and follows the address of the next list.
import { link, spider, type Spider } from 'avocet'

/** An item. */
export interface Article {
  readonly id: number
  readonly title: string
  readonly date: string
}

/** A response of the API. */
interface ArticleList {
  readonly articles: readonly Article[]
  /** Relative; null on the last list. */
  readonly next: string | null
}

export default spider({
  name: 'articles',
  seeds: [{ url: 'http://127.0.0.1:8042/articles.json', headers: { accept: 'application/json' } }],
  handlers: {
    *start(page) {
      const { articles, next } = page.json<ArticleList>()
      for (const { id, title, date } of articles) yield { id, title, date }
      if (next !== null) yield link(new URL(next, page.url).href, { headers: { accept: 'application/json' } })
    },
  },
}) satisfies Spider<Article>
