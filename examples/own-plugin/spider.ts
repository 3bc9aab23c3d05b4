// The title of every page of a site.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Title {
  readonly url: string
  readonly title: string
}

/** `avocet crawl spider.ts -a site=https://site.example/` */
export default ({ site = 'https://site.example/' }: Readonly<Record<string, string>>): Spider<Title> =>
  spider({
    name: 'titles',
    seeds: [site],
    handlers: {
      *start(page) {
        // JSON, pictures and the like reach handlers too.
        if (!page.isHtml) return
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  })
