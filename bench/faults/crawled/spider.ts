// The spider of the runs with faults: one item of every page of the sites that `-a seeds=URL,URL` names.
import { spider, type Spider } from 'avocet'

interface Visited {
  readonly url: string
}

export default ({ seeds = '' }: Readonly<Record<string, string>>): Spider<Visited> =>
  spider({
    name: 'faults',
    seeds: seeds.split(','),
    handlers: {
      *start(page) {
        yield { url: page.url.href }
        yield* page.links()
      },
    },
  })
