// Pages that nothing links to: `/item/1` to `/item/n`, all of them seeds.
import type { PagesSpec } from './host-spec.ts'
import { htmlPage } from './html.ts'
import { paragraphs, title } from './prose.ts'
import type { Ground, Site } from './site.ts'

/** Builds the site. */
export function listSite(spec: Extract<PagesSpec, { kind: 'list' }>, ground: Ground): Site {
  const paths = Array.from({ length: spec.pages }, (_, n) => `/item/${String(n + 1)}`)
  return {
    seeds: paths,
    paths: () => paths,
    products: () => [],
    quotes: () => [],
    draft(path) {
      const [, digits] = /^\/item\/([1-9]\d*)$/.exec(path) ?? []
      if (digits === undefined || Number(digits) > spec.pages) return undefined
      const chance = ground.chance(`item ${digits}`)
      const heading = title(chance, 0, 3)
      return htmlPage(heading, `<h1>${heading}</h1>\n${paragraphs(chance, spec.textBytes ?? 500)}`)
    },
  }
}
