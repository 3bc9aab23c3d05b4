// Extracts what is on the pages that begin at __seed__.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Found {
  readonly title: string
  readonly url: string
}

export default spider({
  name: '__name__',
  seeds: ['__seed__'],
  handlers: {
    *start(page) {
      // Add the fields that you need; try selectors with npx avocet shell.
      yield { title: page.title, url: page.url.href }
      yield* page.links('a[rel=next]')
    },
  },
}) satisfies Spider<Found>
