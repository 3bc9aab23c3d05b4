// A page that lists other hosts of the model, each from its moment on: how a crawl hears of shops that did not exist when it began.
import type { PagesSpec } from './host-spec.ts'
import { anchor, htmlPage } from './html.ts'
import type { Ground, Site } from './site.ts'

/** Builds the site. */
export function directorySite({ lists }: Extract<PagesSpec, { kind: 'directory' }>, ground: Ground): Site {
  const births = lists.map(({ fromMs = 0 }) => fromMs).sort((a, b) => a - b)
  return {
    seeds: ['/'],
    paths: () => ['/'],
    products: () => [],
    quotes: () => [],
    roundAt: (atMs) => births.filter((birth) => birth <= atMs).length,
    draft(path, atMs) {
      if (path !== '/') return undefined
      const open = lists.filter(({ fromMs = 0 }) => fromMs <= atMs)
      const links = open.map(({ host }) => `<li>${anchor(`${ground.baseOf(host)}/`, host, 'class="shop"')}</li>`)
      return htmlPage('Shops', `<h1>Shops</h1>\n<ul>${links.join('\n')}</ul>`)
    },
  }
}
