// The spider of the kill test: every page of the sites in its seeds, one item each.
import { spider } from '@avocet/core'

export default spider<{ url: string; title: string; depth: number }>({
  name: 'kill',
  seeds: ['http://overridden.by.seeds/'],
  handlers: {
    *start(page) {
      yield { url: page.url.pathname, title: page.title, depth: page.request.depth }
      yield* page.links()
    },
  },
})
