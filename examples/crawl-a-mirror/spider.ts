// The title of every page of a mirrored site.
import { spider, type Spider } from 'avocet'

/** `avocet crawl spider.ts -a site=https://shop.example/` */
export default ({ site = 'https://shop.example/' }: Readonly<Record<string, string>>): Spider =>
  spider({
    name: 'mirrored',
    seeds: [site],
    handlers: {
      *start(page) {
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  })
