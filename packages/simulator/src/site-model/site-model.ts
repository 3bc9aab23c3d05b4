// A seeded description of hosts, and everything that follows from it: pages, seeds, and what a crawl should find.
//
// Content is a pure function of seed, host and path (and of the host's base URL, which differs between the simulated and the rough web).
// How hosts behave over time is host-life.ts; who serves the pages is simulated-web.ts, or stress/rough-web/.
import { hash } from 'node:crypto'
import { AvocetError } from '@avocet/core'
import { seeded, shuffled } from '../seeded.ts'
import type { ClientOutage, HostSpec, ModelSpec, PagesSpec } from './host-spec.ts'
import { anchor, htmlPage, paragraphs, title } from './html.ts'
import { quotesSite } from './quotes-site.ts'
import { shopSite } from './shop-site.ts'
import type { Draft, Ground, Site, SitePage, SiteProduct, SiteQuote } from './site.ts'
import { treeSite } from './tree-site.ts'

/** What Last-Modified counts from: the same on every web, whenever it was started. 2026-01-01. */
const DATED_FROM = Date.UTC(2026, 0, 1)

/** A product with its host and URL. */
export interface ModelProduct extends Omit<SiteProduct, 'path'> {
  readonly host: string
  readonly url: string
}

/** A quote with its host. */
export interface ModelQuote extends SiteQuote {
  readonly host: string
}

/** A model: hosts with their pages. */
export interface SiteModel {
  readonly seed: string
  readonly hosts: readonly HostSpec[]
  /** Periods in which the client's own network is down. */
  readonly clientOutages: readonly ClientOutage[]
  /** The description that it was made from: plain JSON, of which `siteModel` makes it again. */
  readonly spec: ModelSpec
  /** Origin of a host, without a slash at the end: `http://shop-007.test` unless `withBase` says otherwise. */
  baseOf(host: string): string
  /** The same model under other origins. */
  withBase(baseOf: (host: string) => string): SiteModel
  /** The page of `host` at `path` (with its query), `atMs` (default 0) after the web was started; undefined = 404. */
  page(host: string, path: string, atMs?: number): SitePage | undefined
  /** Seeds of a crawl, of one host or all. */
  seeds(host?: string): readonly string[]
  /** URLs of all HTML pages that can be found by following links, of one host or all. Without extras such as redirects and documents. */
  urls(host?: string): readonly string[]
  /** What a crawl finds if every host responds. */
  readonly expected: {
    pages(host?: string): readonly string[]
    /** With their prices at `atMs` (default 0) after the web was started. */
    products(host?: string, atMs?: number): readonly ModelProduct[]
    quotes(host?: string): readonly ModelQuote[]
  }
}

/**
 * Builds a model. Throws AVO_CONFIG_INVALID when two hosts have one name.
 *
 * @example
 * ```ts
 * const model = siteModel({ seed: 'a', hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 100 } }] })
 * model.expected.products().length // 100
 * ```
 */
export function siteModel(spec: ModelSpec): SiteModel {
  return withOrigins(spec, (host) => `http://${host}`)
}

function withOrigins(spec: ModelSpec, baseOf: (host: string) => string): SiteModel {
  const sites = sitesOf(spec, baseOf)
  const cache = new PageCache()
  // Most hosts are always what they are: those are not asked twice for each page.
  const restless = new Map(spec.hosts.flatMap((host) => ((host.missing ?? host.moves) === undefined ? [] : [[host.name, host]])))
  const select = (host?: string): [string, Site][] => {
    const site = host === undefined ? undefined : sites.get(host)
    if (host === undefined) return [...sites]
    return site === undefined ? [] : [[host, site]]
  }
  const urls = (host?: string): string[] =>
    select(host).flatMap(([name, site]) => site.paths().map((path) => baseOf(name) + path))
  return {
    seed: spec.seed,
    hosts: spec.hosts,
    clientOutages: spec.clientOutages ?? [],
    spec,
    baseOf,
    withBase: (other) => withOrigins(spec, other),
    page(host, path, atMs = 0) {
      const site = sites.get(host)
      if (site === undefined) return undefined
      const changed = restless.get(host)
      const other =
        changed && insteadOf(changed, path, { atMs, originOf: (name) => (sites.has(name) ? baseOf(name) : undefined) })
      if (other !== undefined) return asBytes(other)
      const shelf = site.sharedAs ?? host
      const round = site.roundAt?.(atMs) ?? 0
      // No path has a space in it.
      const key = round === 0 ? path : `${path} ${String(round)}`
      const kept = cache.get(shelf, key)
      if (kept !== undefined) return kept
      const draft = site.draft(path, atMs)
      if (draft === undefined) return undefined
      const page = asBytes(draft)
      cache.set(shelf, key, page)
      return page
    },
    seeds(host) {
      const seeds = select(host).flatMap(([name, site]) => site.seeds.map((path) => baseOf(name) + path))
      return host === undefined && spec.seedOrder === 'shuffled' ? shuffled(seeds, spec.seed) : seeds
    },
    urls,
    expected: {
      pages: urls,
      products: (host, atMs = 0) =>
        select(host).flatMap(([name, site]) =>
          site.products(atMs).map(({ path, ...product }) => ({ ...product, host: name, url: baseOf(name) + path })),
        ),
      quotes: (host) => select(host).flatMap(([name, site]) => site.quotes().map((quote) => ({ ...quote, host: name }))),
    },
  }
}

function sitesOf(spec: ModelSpec, baseOf: (host: string) => string): Map<string, Site> {
  const sites = new Map<string, Site>()
  for (const { name, pages, robots } of spec.hosts) {
    if (sites.has(name))
      throw new AvocetError('AVO_CONFIG_INVALID', `each host of a model needs a name of its own, "${name}" came twice`)
    const site = siteOf(pages, { base: baseOf(name), baseOf, chance: (purpose) => seeded(spec.seed, name, purpose) })
    sites.set(name, robots === undefined ? site : withRobots(site, robots))
  }
  return sites
}

function siteOf(pages: HostSpec['pages'], ground: Ground): Site {
  if (pages.kind === 'directory') return directorySite(pages, ground)
  if (pages.kind === 'tree') return treeSite(pages, ground)
  if (pages.kind === 'shop') return shopSite(pages, ground)
  if (pages.kind === 'plain') return plainSite(pages)
  return pages.kind === 'quotes' ? quotesSite(pages, ground) : listSite(pages, ground)
}

function withRobots(site: Site, { body = '', status = 200 }: NonNullable<HostSpec['robots']>): Site {
  const robots: Draft = { status, contentType: 'text/plain; charset=utf-8', body }
  // Its own robots.txt makes it a site of its own.
  const { sharedAs: _shared, ...own } = site
  return { ...own, draft: (path, atMs) => (path === '/robots.txt' ? robots : site.draft(path, atMs)) }
}

function asBytes({ status, contentType, body, location, validator }: Draft): SitePage {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const headers: Record<string, string> = { 'content-type': contentType, 'content-length': String(bytes.byteLength) }
  if (location !== undefined) headers['location'] = location
  if (validator?.kind === 'etag') headers['etag'] = `"${hash('sha1', bytes, 'base64url').slice(0, 16)}"`
  else if (validator !== undefined) headers['last-modified'] = new Date(DATED_FROM + validator.changedAtMs).toUTCString()
  return { status, headers, body: bytes }
}

/** Builds the site. */
function directorySite({ lists }: Extract<PagesSpec, { kind: 'directory' }>, ground: Ground): Site {
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

/** Bytes of bodies kept, over all hosts. */
const MAX_BYTES = 32 * 2 ** 20

/** A bounded map from host and path to page. When full it is emptied: cheaper than an order of use, and a page is only a function away. */
class PageCache {
  readonly #hosts = new Map<string, Map<string, SitePage>>()
  #bytes = 0

  get(host: string, path: string): SitePage | undefined {
    return this.#hosts.get(host)?.get(path)
  }

  set(host: string, path: string, page: SitePage): void {
    // The path and the map's entry count too, or a million tiny pages would not be bounded at all.
    this.#bytes += page.body.byteLength + path.length + 500
    if (this.#bytes > MAX_BYTES) {
      this.#hosts.clear()
      this.#bytes = page.body.byteLength
    }
    let pages = this.#hosts.get(host)
    if (pages === undefined) this.#hosts.set(host, (pages = new Map<string, SitePage>()))
    pages.set(path, page)
  }
}

/** Builds the site. */
function listSite(spec: Extract<PagesSpec, { kind: 'list' }>, ground: Ground): Site {
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

// What is at a path while its host has lost its pages or sends everybody elsewhere. Pure: the description, the path, the time.
interface Span {
  readonly fromMs: number
  readonly untilMs?: number
}

const GONE = { contentType: 'text/html; charset=utf-8', body: '<!doctype html>\n<title>Not here</title>\n' }

/** The page that stands in for the one at `path`; undefined = that one. `originOf` a host of the model; undefined = there is none. */
function insteadOf(
  { missing = [], moves = [] }: HostSpec,
  path: string,
  { atMs, originOf }: { readonly atMs: number; readonly originOf: (host: string) => string | undefined },
): Draft | undefined {
  if (path === '/robots.txt') return undefined
  const gone = missing.find((span) => isAt(span, atMs) && path.startsWith(span.under ?? '/'))
  if (gone !== undefined) return { ...GONE, status: gone.status ?? 404, ...(gone.body !== undefined && { body: gone.body }) }
  const move = moves.find((span) => isAt(span, atMs))
  if (move === undefined) return undefined
  if (move.to === path) return htmlPage('Maintenance', '<h1>Back soon</h1>')
  const location = move.to.startsWith('/') ? move.to : (originOf(move.to) ?? `http://${move.to}`) + path
  return { status: move.status ?? 301, contentType: 'text/plain; charset=utf-8', body: 'moved\n', location }
}

function isAt({ fromMs, untilMs = Infinity }: Span, atMs: number): boolean {
  return atMs >= fromMs && atMs < untilMs
}

// A link tree whose pages are the same on every host: relative links only, so that one body serves all hosts of a world.
//
// A page links to its children and to its parent: five links. What a page costs a crawl is then the crawl's own, and a million of them fit in
// memory because they are a few hundred. `/` is page 0, `/n` the others.
type PlainSpec = Extract<PagesSpec, { kind: 'plain' }>

/** Sites by description: hosts that are described alike share one. A handful a world, and small. */
const made = new Map<string, Site>()

/** Builds the site, or finds it. */
function plainSite({ pages, branching = 4 }: PlainSpec): Site {
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
