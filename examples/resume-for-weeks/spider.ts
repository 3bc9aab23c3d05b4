// Teaches a crawl that goes on for weeks: each page again and again, an item a look, whatever happens to the process in between.
import { spider, type Spider } from 'avocet'

/** A look at a page. */
export interface Look {
  readonly url: string
  readonly title: string
  /** 0 for the first look, and so on. */
  readonly look: number
  /** Epoch ms. */
  readonly seenAt: number
}

/** `avocet crawl spider.ts -a site=https://site.example/ --every 1d` */
export default ({ site = 'https://site.example/' }: Readonly<Record<string, string>>): Spider<Look> =>
  spider({
    name: 'looks',
    seeds: [site],
    handlers: {
      *start(page) {
        if (page.isHtml) yield { url: page.url.href, title: page.title, look: page.visit, seenAt: page.fetchedAt }
        yield* page.links()
      },
    },
  })
