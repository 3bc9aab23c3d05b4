// A seeded description of hosts, and everything that follows from it: pages, seeds, and what a crawl should find.
//
// Content is a pure function of seed, host and path (and of the host's base URL, which differs between the simulated and the rough web).
// How hosts behave over time is host-life.ts; who serves the pages is simulated-web.ts or rough-web/.
import { hash } from 'node:crypto'
import { AvocetError } from '@avocet/core'
import { seeded, shuffled } from '../seeded.ts'
import type { ClientOutage, HostSpec, ModelSpec } from './host-spec.ts'
import { insteadOf } from './absence.ts'
import { directorySite } from './directory-site.ts'
import { listSite } from './list-site.ts'
import { PageCache } from './page-cache.ts'
import { plainSite } from './plain-site.ts'
import { quotesSite } from './quotes-site.ts'
import { shopSite } from './shop-site.ts'
import type { Draft, Ground, Site, SiteProduct, SiteQuote } from './site.ts'
import type { SitePage } from './site-page.ts'
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
  /** The description that it was made from: plain JSON, which `modelFrom` reads. */
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
