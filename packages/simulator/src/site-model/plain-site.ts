// A link tree whose pages are the same on every host: relative links only, so that one body serves all hosts of a world.
//
// A page links to its children and to its parent: five links. What a page costs a crawl is then the crawl's own, and a million of them fit in
// memory because they are a few hundred. `/` is page 0, `/n` the others.
import type { PagesSpec } from './host-spec.ts'
import { anchor, htmlPage } from './html.ts'
import type { Site } from './site.ts'

type PlainSpec = Extract<PagesSpec, { kind: 'plain' }>

/** Sites by description: hosts that are described alike share one. A handful a world, and small. */
const made = new Map<string, Site>()

/** Builds the site, or finds it. */
export function plainSite({ pages, branching = 4 }: PlainSpec): Site {
  const key = `${String(pages)} ${String(branching)}`
  const known = made.get(key)
  if (known !== undefined) return known
  const paths = Array.from({ length: pages }, (_, n) => pathOf(n))
  const placeOf = new Map(paths.map((path, n) => [path, n]))
  const site: Site = {
    seeds: ['/'],
    paths: () => paths,
    products: () => [],
    quotes: () => [],
    sharedAs: key,
    draft(path) {
      const n = placeOf.get(path)
      if (n === undefined) return undefined
      const children = Array.from({ length: branching }, (_, child) => n * branching + child + 1).filter((child) => child < pages)
      const targets = n === 0 ? children : [...children, Math.floor((n - 1) / branching)]
      return htmlPage(`Page ${String(n)}`, targets.map((target) => anchor(pathOf(target), `page ${String(target)}`)).join('\n'))
    },
  }
  made.set(key, site)
  return site
}

function pathOf(n: number): string {
  return n === 0 ? '/' : `/${String(n)}`
}
