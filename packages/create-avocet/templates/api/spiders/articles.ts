// What the answers of an API mean: the articles of a list, and the address of the next list.
import { link, spider } from '@avocet/core'

/** What it finds. */
export interface Article {
  readonly id: number
  readonly title: string
  readonly date: string
}

/** What the API answers. */
interface ArticleList {
  readonly articles: readonly Article[]
  /** Relative; null on the last list. */
  readonly next: string | null
}

export default spider<Article>({
  name: 'articles',
  seeds: [{ url: 'http://127.0.0.1:8042/articles.json', headers: { accept: 'application/json' } }],
  handlers: {
    *start(page) {
      const { articles, next } = page.json<ArticleList>()
      for (const { id, title, date } of articles) yield { id, title, date }
      if (next !== null) yield link(new URL(next, page.url).href, { headers: { accept: 'application/json' } })
    },
  },
})
