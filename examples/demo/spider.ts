// The title of every page that the sites hold: `-a sites=FILE` names a file with one URL a line.
import { readFileSync } from 'node:fs'
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Title {
  readonly url: string
  readonly title: string
}

export default ({ sites = 'sites.txt' }: Readonly<Record<string, string>>): Spider<Title> =>
  spider({
    name: 'demo',
    seeds: readFileSync(sites, 'utf8').trim().split('\n'),
    handlers: {
      *start(page) {
        if (!page.isHtml) return
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  })
