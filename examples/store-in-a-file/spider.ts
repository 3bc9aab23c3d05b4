// The title of every page of a site.
import { spider } from 'avocet'

export default spider({
  name: 'titles',
  seeds: ['https://quotes.toscrape.com/'],
  handlers: {
    *start(page) {
      yield { url: page.url.href, title: page.title }
      yield* page.links()
    },
  },
})
