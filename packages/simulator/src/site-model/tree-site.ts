// A link tree: page n links to its children, its parent and a few others. `/` is page 0, `/p/n` the others.
import { extraDraft, extraLinks } from './extras.ts'
import type { PagesSpec } from './host-spec.ts'
import { anchor, htmlPage, paragraphs, title } from './html.ts'
import type { Draft, Ground, Site } from './site.ts'

type TreeSpec = Extract<PagesSpec, { kind: 'tree' }>

/** Builds the site. Links are absolute, from the root, and relative in turn, so that a crawl must resolve all three. */
export function treeSite(spec: TreeSpec, ground: Ground): Site {
  const paths = Array.from({ length: spec.pages }, (_, n) => pathOf(n))
  return {
    seeds: ['/'],
    paths: () => paths,
    products: () => [],
    quotes: () => [],
    draft(path) {
      const n = numberOf(path)
      if (n === undefined || n >= spec.pages) return extraDraft(path, spec.extras, { ground, paths })
      return treePage(n, spec, ground)
    },
  }
}

function treePage(n: number, spec: TreeSpec, ground: Ground): Draft {
  const links = linkedFrom(n, spec, ground).map((target, place) => {
    const path = pathOf(target)
    const href = [path, ground.base + path, relative(n, target)][place % 3] ?? path
    return `<li>${anchor(href, `page ${String(target)}`)}</li>`
  })
  const chance = ground.chance(`page ${String(n)}`)
  const heading = title(chance, 0, 3)
  const extras = n === 0 ? extraLinks(spec.extras) : ''
  return htmlPage(
    heading,
    `<h1>${heading}</h1>\n<ul>${links.join('')}</ul>\n${paragraphs(chance, spec.textBytes ?? 1_000)}${extras}`,
  )
}

function linkedFrom(n: number, spec: TreeSpec, ground: Ground): number[] {
  const { pages, branching = 8, crossLinks = 2 } = spec
  const children = Array.from({ length: branching }, (_, child) => n * branching + child + 1).filter((child) => child < pages)
  const chance = ground.chance(`cross links of ${String(n)}`)
  const others = Array.from({ length: crossLinks }, (_, cross) => Math.floor(chance(cross) * pages))
  return n === 0 ? [...children, ...others] : [...children, Math.floor((n - 1) / branching), ...others]
}

function pathOf(n: number): string {
  return n === 0 ? '/' : `/p/${String(n)}`
}

function numberOf(path: string): number | undefined {
  if (path === '/') return 0
  const [, digits] = /^\/p\/([1-9]\d*)$/.exec(path) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function relative(from: number, to: number): string {
  if (from === 0) return to === 0 ? './' : `p/${String(to)}`
  return to === 0 ? '../' : String(to)
}
